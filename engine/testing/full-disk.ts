import type { Database } from "../store/database.ts";

const pages = (db: Database, name: string) =>
  db.prepare<Record<string, number>>(`pragma ${name}`).get()?.[name] ?? 0;

/** From now on SQLite answers what it answers when the file system has no block left. */
export function fillDisk(db: Database): void {
  db.exec("create table ballast (bytes blob)");
  for (let size = 1_000_000; size > 1_000; size = Math.floor(size / 2)) {
    db.exec(`insert into ballast values (zeroblob(${size}))`);
  }
  db.exec("delete from ballast; drop table ballast; vacuum");
  db.exec(`pragma max_page_count = ${pages(db, "page_count")}`);
}

export const freeDisk = (db: Database): void => db.exec("pragma max_page_count = 1000000");

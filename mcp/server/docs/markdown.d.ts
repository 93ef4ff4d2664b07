/** The bundler and the tests import a document as its text. */
declare module "*.md" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- what the bundler's text import gives
  export default text;
}

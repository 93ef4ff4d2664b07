import { ConfigDocument, ConfigName, ConfigSetResponse, ListConfigResponse } from "../../contract/config.ts";
import { jsonObject } from "../../contract/json-object.ts";
import { deleteConfig, getConfig, listConfigs, patchConfig, setConfig } from "../../config/config.ts";
import { toJsonText } from "../../json/json-text.ts";
import { parsePart } from "../fields.ts";
import { NO_CONTENT, route, type RestRoute } from "./route.ts";

const nameOf = (params: Record<string, string>) => parsePart(ConfigName, params.name, "name");

/** Section 2.10: configurations, which the body of a POST or PATCH is as it stands. */
export const configRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/config",
    summary: "Names and revisions of the configurations",
    answer: ListConfigResponse,
    run: ({ core, environment }) => ({ configs: listConfigs(core, environment.id) }),
  }),
  route({
    method: "GET",
    path: "/api/v1/config/{name}",
    summary: "One configuration",
    answer: ConfigDocument,
    run: ({ core, environment }, { params }) => getConfig(core, environment.id, nameOf(params)),
  }),
  route({
    method: "POST",
    path: "/api/v1/config/{name}",
    summary: "Puts a document in the place of a configuration",
    body: jsonObject(),
    answer: ConfigSetResponse,
    run: async ({ core, environment }, { params, body }) => {
      const name = nameOf(params);
      const data = toJsonText(body);
      const revision = await core.writer.write((tx) => setConfig(core, tx, environment.id, name, data));
      return { name, revision };
    },
  }),
  route({
    method: "PATCH",
    path: "/api/v1/config/{name}",
    summary: "Replaces the given members of a configuration",
    body: jsonObject(),
    answer: ConfigSetResponse,
    run: async ({ core, environment }, { params, body }) => {
      const name = nameOf(params);
      const revision = await core.writer.write((tx) => patchConfig(core, tx, environment.id, name, body));
      return { name, revision };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/config/{name}",
    summary: "Deletes a configuration",
    run: async ({ core, environment }, { params }) => {
      const name = nameOf(params);
      await core.writer.write((tx) => deleteConfig(core, tx, environment.id, name));
      return NO_CONTENT;
    },
  }),
];

import * as z from "zod/v4";
import {
  CreateSecretRequest,
  PatchSecretRequest,
  RestSecret,
  SecretName,
  UpdateSecretRequest,
} from "../../contract/secrets.ts";
import { createSecret, deleteSecret, findSecret, patchSecret, updateSecret } from "../../secrets/secrets.ts";
import { restSecret } from "../data-shapes.ts";
import { parsePart } from "../fields.ts";
import { NO_CONTENT, route, type RestRoute } from "./route.ts";

const nameOf = (params: Record<string, string>) => parsePart(SecretName, params.name, "name");

/** Section 2.9. No answer holds a value. */
export const secretRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/secrets",
    summary: "Names of the secrets; values are never answered",
    answer: z.array(RestSecret),
    run: ({ core, environment }) => core.store.secrets.list(environment.id).map(restSecret),
  }),
  route({
    method: "POST",
    path: "/api/v1/secrets",
    summary: "Makes a secret",
    answer: RestSecret,
    body: CreateSecretRequest,
    run: ({ core, environment }, { body }) =>
      core.writer.write((tx) => restSecret(createSecret(core, tx, environment.id, body))),
  }),
  route({
    method: "GET",
    path: "/api/v1/secrets/{name}",
    summary: "What may be told about a secret",
    answer: RestSecret,
    run: ({ core, environment }, { params }) => restSecret(findSecret(core, environment.id, nameOf(params))),
  }),
  route({
    method: "PUT",
    path: "/api/v1/secrets/{name}",
    summary: "Gives a secret another value",
    answer: RestSecret,
    body: UpdateSecretRequest,
    run: ({ core, environment }, { params, body }) => {
      const name = nameOf(params);
      return core.writer.write((tx) => restSecret(updateSecret(core, tx, environment.id, name, body)));
    },
  }),
  route({
    method: "PATCH",
    path: "/api/v1/secrets/{name}",
    summary: "Renames or describes a secret",
    answer: RestSecret,
    body: PatchSecretRequest,
    run: ({ core, environment }, { params, body }) => {
      const name = nameOf(params);
      return core.writer.write((tx) => restSecret(patchSecret(core, tx, environment.id, name, body)));
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/secrets/{name}",
    summary: "Deletes a secret",
    run: async ({ core, environment }, { params }) => {
      const name = nameOf(params);
      await core.writer.write((tx) => deleteSecret(core, tx, environment.id, name));
      return NO_CONTENT;
    },
  }),
];

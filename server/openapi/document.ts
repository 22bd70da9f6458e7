/** The parts of an OpenAPI document that we use. https://spec.openapis.org/oas/v3.1.1.html */
import type { JsonSchema } from '@valibot/to-json-schema';

export interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, DocumentedParameter>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

export type Method = 'get' | 'post' | 'put' | 'delete';

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** An empty list lets anyone call. Otherwise a caller needs one of the listed credentials. */
  security: Record<string, string[]>[];
  /** The action in `server/permissions.ts`. */
  'x-permission': string;
  parameters?: (DocumentedParameter | Reference)[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response | Reference>;
}

export interface DocumentedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: true;
  description: string;
  schema: JsonSchema;
  example?: string | number | boolean;
}

export interface Reference {
  $ref: string;
  description?: string;
}
export interface Header {
  description: string;
  schema: JsonSchema;
}
export interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Content;
}
export type Content = Record<string, { schema: JsonSchema; example?: unknown }>;
export interface SecurityScheme {
  type: 'http';
  scheme: 'bearer' | 'basic';
  bearerFormat?: string;
  description: string;
}

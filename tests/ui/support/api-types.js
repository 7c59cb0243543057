/**
 * Makes the types that the page knows replies by from the OpenAPI document: `types/replies.d.ts`. The types themselves
 * are those of the client for TypeScript.
 *
 *   node support/api-types.js    writes it, the client for TypeScript and the page of the API;
 *                                unit/api-types.test.js and unit/api-client.test.js fail while one is stale
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The document that everything is generated from. */
export const DOCUMENT = new URL('../../golden/openapi.json', import.meta.url);
/** The generated file. */
export const TYPES = new URL('../types/replies.d.ts', import.meta.url);

/**
 * @typedef {{
 *   $ref?: string, type?: string | string[], enum?: unknown[], const?: unknown, anyOf?: Schema[], oneOf?: Schema[],
 *   items?: Schema, prefixItems?: Schema[], properties?: Record<string, Schema>, required?: string[],
 *   additionalProperties?: Schema | boolean,
 * }} Schema
 */

/**
 * @param {string} key
 * @returns {string}
 */
export function keyText(key) {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/**
 * The lines between the braces of an object type.
 *
 * @param {Schema} schema
 * @returns {string[]}
 */
export function fieldLines(schema) {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([key, field]) =>
    `${keyText(key)}${required.has(key) ? '' : '?'}: ${typeText(field)};`
  );
  const others = schema.additionalProperties;
  if (!others) return fields;
  // The fields of an open object need not have the type of the others.
  const type = fields.length === 0 && others !== true ? typeText(others) : 'unknown';
  return [...fields, `[key: string]: ${type};`];
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
export function typeText(schema) {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((choice) => JSON.stringify(choice)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.type) return choices.map(typeText).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      if (schema.prefixItems) return `[${schema.prefixItems.map(typeText).join(', ')}]`;
      return `Array<${schema.items ? typeText(schema.items) : 'unknown'}>`;
    }
    case 'object': {
      const fields = fieldLines(schema);
      return fields.length === 0 ? 'Record<string, unknown>' : `{ ${fields.join(' ')} }`;
    }
    default:
      return 'unknown';
  }
}

/**
 * @param {Record<string, {get?: Operation, post?: Operation}>} paths
 * @param {'get' | 'post'} method
 * @returns {string[]}
 */
function routeLines(paths, method) {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const schema = doneOf(operations[method])?.content?.['application/json']?.schema;
    return schema ? [`      '${path}': ${typeText(schema)};`] : [];
  });
}

/**
 * What an operation answers when all went well, whatever its status.
 *
 * @template R
 * @param {{responses: Record<string, R>} | undefined} operation
 * @returns {R | undefined}
 */
export function doneOf(operation) {
  return Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
}

/** @typedef {{responses: Record<string, {content?: Record<string, {schema: Schema}>}>}} Operation */

/**
 * The text of the generated file.
 *
 * @returns {string}
 */
export function generate() {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  return [
    '/** Replies of the API, by name and by path. Generated from tests/golden/openapi.json by support/api-types.js. */',
    "import type * as Client from '../../../clients/typescript/service-launcher.ts';",
    '',
    'declare global {',
    '  namespace Reply {',
    ...Object.keys(document.components.schemas).map((name) => `    type ${name} = Client.${name};`),
    '',
    '    /** What `GET` of a path answers. */',
    '    interface Get {',
    ...routeLines(document.paths, 'get'),
    '    }',
    '',
    '    /** What `POST` to a path answers. */',
    '    interface Post {',
    ...routeLines(document.paths, 'post'),
    '    }',
    '',
    '    /** What `GET` of a path answers, where the path is known. */',
    '    type ToGet<Path> = Path extends keyof Get ? Get[Path] : unknown;',
    '',
    '    /** What `POST` to a path answers, where the path is known. */',
    '    type ToPost<Path> = Path extends keyof Post ? Post[Path] : unknown;',
    '  }',
    '}',
    '',
  ].join('\n');
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TYPES, generate());
  // Both import this module, so they are loaded once it is complete.
  void import('./api-client.js').then(({ CLIENT, generateClient }) => writeFileSync(CLIENT, generateClient()));
  void import('./api-docs.js').then(({ PAGE, generateDocs }) => writeFileSync(PAGE, generateDocs()));
}

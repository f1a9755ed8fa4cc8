import type { ValidateFunction } from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import { pino } from 'pino'
import { z } from 'zod'
import { type App, startApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { realClock } from '../server/real-clock.test-support.ts'
import { openApi } from './proxy-api.ts'

const Described = z.record(z.string(), z.unknown())
const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        requestBody: z
          .object({ content: z.record(z.string(), z.object({ schema: Described.optional() })) })
          .optional(),
        responses: z.record(
          z.string(),
          z.looseObject({
            content: z
              .record(
                z.string(),
                z.looseObject({
                  schema: Described.optional(),
                  'x-line': Described.optional(),
                  'x-events': z.record(z.string(), Described).optional(),
                }),
              )
              .optional(),
          }),
        ),
      }),
    ),
  ),
})
/** What `npm run docs` writes into docs/reference/proxy-api.json. */
export const document = Document.parse(openApi())

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema({ $id: 'document', ...document })

/** Why something isn't what a schema of the document says; empty where it is. */
export function mistakes(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly unknown[] {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
  let validate = compiled.get(text)
  if (validate === undefined) {
    validate = ajv.compile(Described.parse(JSON.parse(text)))
    compiled.set(text, validate)
  }
  return validate(value) ? [] : (validate.errors ?? [])
}

const compiled = new Map<string, ValidateFunction>()

/** A proxy in the mode without sign-in before the embedded services, on a port of its own; settings are added. */
export async function startDescribedProxy(
  environment: Readonly<Record<string, string>> = {},
  file = '',
  clock = realClock,
): Promise<App> {
  const read = readConfig({
    environment: {
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_EMBEDDED_BUILDS: '60',
      SIGHTLINE_EMBEDDED_RATE: '0',
      SIGHTLINE_CREATE_TOKENS: 'on',
      ...environment,
    },
    flags: [],
    readFile: () => file,
  })
  if (!read.ok) throw new Error(read.mistakes.join(' '))
  let last = 1
  return startApp({
    config: read.config,
    clock,
    // Ids are made of it (Lehmer's generator).
    random: () => (last = (last * 48_271) % 0x7f_ff_ff_ff) / 0x7f_ff_ff_ff,
    logger: pino({ level: 'silent' }),
    version: '1',
    staticRoot: import.meta.dirname,
  })
}

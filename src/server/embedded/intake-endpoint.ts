import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { Attributes } from '../../protocol/attributes.ts'
import { BuildEvent } from '../../protocol/build-event.ts'
import { BuildMessage } from '../../protocol/build-message.ts'
import type { NewBuild } from '../store/new-build.ts'
import { invalidRequest, tooLarge } from './api-problem.ts'
import type { Authorisation } from './authorisation.ts'
import type { Imported } from './import-recording.ts'
import { elementTexts } from './raw-json.ts'
import { mistakes } from './recorded-lines.ts'

/** Where the builds go that somebody sends. */
export interface IntakeTarget {
  readonly add: (build: NewBuild) => Promise<void>
  readonly importRecording: (bytes: AsyncIterable<Uint8Array>) => Promise<Imported>
  /** What a build may leave out. */
  readonly missing: () => Partial<BuildMessage>
}

const maxJsonBytes = 32 * 1024 * 1024
const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

const Sent = z.object({
  build: z.looseObject({}),
  attributes: Attributes.nullish(),
  events: z.array(BuildEvent).default([]),
})

/**
 * `POST /embedded/builds`, which the embedded services alone offer: a build with its events, as JSON
 * `{build, attributes?, events?}` up to 32 MB, or as NDJSON of any size as a recording has it. The
 * id and the timestamp may be left out. Answers 201 with the id; throws a ProblemError: 400 that
 * says what is wrong where, 409 where the build exists.
 */
export function createIntakeEndpoint(target: IntakeTarget, authorisation: Authorisation): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    await authorisation.export(c.req.header('Authorization'), 'publishScan')
    await next()
  })
  app.post('/builds', async (c, next) => {
    const type = (c.req.header('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!ndjsonTypes.includes(type)) return next()
    const { body } = c.req.raw
    if (body === null) throw invalidRequest('The recording is empty.')
    return c.json(await target.importRecording(body), 201)
  })
  app.post(
    '/builds',
    bodyLimit({
      maxSize: maxJsonBytes,
      onError: () => {
        throw tooLarge(`The body is larger than ${maxJsonBytes} bytes: send it as NDJSON.`)
      },
    }),
    async (c) => {
      const build = read(await c.req.text(), target.missing)
      await target.add(build)
      return c.json({ buildId: build.message.buildId, events: build.events.length }, 201)
    },
  )
  return app
}

function read(text: string, missing: () => Partial<BuildMessage>): NewBuild {
  try {
    const sent = Sent.parse(JSON.parse(text))
    const message = z
      .object({ build: BuildMessage })
      .parse({ build: { ...missing(), ...sent.build } })
    return {
      message: message.build,
      attributes: sent.attributes ?? null,
      events: elementTexts(text, 'events'),
    }
  } catch (error) {
    if (error instanceof SyntaxError)
      throw invalidRequest(`The body is not JSON: ${error.message}.`)
    if (error instanceof z.ZodError) throw invalidRequest(`The body is wrong: ${mistakes(error)}.`)
    throw error
  }
}

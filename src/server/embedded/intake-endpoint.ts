import { Hono } from 'hono'
import { z } from 'zod'
import { Attributes } from '../../protocol/build-data.ts'
import { BuildEvent } from '../../protocol/build-export.ts'
import { BuildMessage } from '../../protocol/build-message.ts'
import type { NewBuild } from '../store/build-writing.ts'
import { invalidRequest, tooLarge } from './api-problem.ts'
import { type Imported, mistakes } from './build-intake.ts'
import type { Authorisation } from './credentials.ts'
import { readBody } from './request-body.ts'

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
  attributes: z.nullish(Attributes),
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
  app.post('/builds', async (c) => {
    const type = (c.req.header('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (ndjsonTypes.includes(type)) {
      const { body } = c.req.raw
      if (body === null) throw invalidRequest('The recording is empty.')
      return c.json(await target.importRecording(body), 201)
    }
    const body = await readBody(c.req.raw, maxJsonBytes, () =>
      tooLarge(`The body is larger than ${maxJsonBytes} bytes. Send it as NDJSON.`),
    )
    const build = read(new TextDecoder().decode(body), target.missing)
    await target.add(build)
    return c.json({ buildId: build.message.buildId, events: build.events.length }, 201)
  })
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
      throw invalidRequest(`The body isn't valid JSON: ${error.message}.`)
    if (error instanceof z.core.$ZodError)
      throw invalidRequest(`The body isn't valid: ${mistakes(error)}.`)
    throw error
  }
}

/**
 * The texts of the elements of an array that a JSON object holds under `key`, as they stand there,
 * so that 64-bit integers stay exact, each on one line. Empty where there is no such array. `json`
 * must be valid JSON: parse it before.
 */
export function elementTexts(json: string, key: string): string[] {
  const text = json.trim()
  if (!text.startsWith('{')) return []
  // As with JSON.parse, the last of several members with one name counts.
  const member = parts(text, 0).findLast(
    (part) => JSON.parse(part.slice(0, endOfString(part, 0))) === key,
  )
  if (member === undefined) return []
  const value = member.slice(endOfString(member, 0)).replace(/^\s*:\s*/, '')
  return value.startsWith('[') ? parts(value, 0).map(onOneLine) : []
}

/** The members or elements of the object or array that opens at `open`, trimmed. */
function parts(json: string, open: number): string[] {
  const found: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < json.length; at += 1) {
    const char = json[at]
    if (char === '"') {
      at = endOfString(json, at) - 1
    } else if (char === '{' || char === '[') {
      depth += 1
    } else if (char === '}' || char === ']') {
      depth -= 1
    }
    if (depth === 0 || (depth === 1 && char === ',')) {
      found.push(json.slice(start, at).trim())
      start = at + 1
    }
    if (depth === 0) break
  }
  return found.filter((text) => text !== '')
}

/** The position after the string that opens at `open`. */
function endOfString(json: string, open: number): number {
  let at = open + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

/** Line breaks in JSON are always between tokens, where they mean nothing. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}

import { z } from 'zod'
import { Attributes, type ToolWithAttributes } from '../../../protocol/build-data.ts'
import shapes from './shapes.json' with { type: 'json' }

// The shapes of attributes and events are in shapes.json. In them `"$name"` stands for a value that
// the generator gives, `"$name?"` for one that is left out where there is none, and `{name}` within
// a text for a text or a number.

/** A JSON value whose integers may be of 64 bits; members that are undefined are left out. */
export type ExactJson =
  | null
  | boolean
  | number
  | string
  | bigint
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined }

/** The values that a shape is filled with, by name. */
export type Values = Readonly<Record<string, ExactJson | undefined>>

/**
 * The JSON text of a value, with every bigint as its exact digits, which JSON.stringify cannot
 * write. The counterpart of protocol/exact-json.ts.
 */
export function exactJsonText(value: ExactJson): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(exactJsonText).join(',')}]`
  const members: string[] = []
  // Not Object.entries: making a build spends much of its time in this function.
  for (const key in value) {
    const member = value[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${exactJsonText(member)}`)
  }
  // Joined, not added up: a text of many parts that were added keeps all of them in memory.
  return `{${members.join(',')}}`
}

// Array.isArray does not narrow readonly arrays out of a union.
function isList(value: object): value is readonly ExactJson[] {
  return Array.isArray(value)
}

/** Puts values into a text. Throws a RangeError for a name that nothing was given for. */
export function fillText(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value === 'string') return value
    if (typeof value === 'number') return String(value)
    throw new RangeError(`no text for ${name}`)
  })
}

type Writer = (values: Values) => string | undefined

/** Prepares a shape to be written many times. */
function writerOf(shape: unknown): Writer {
  if (typeof shape === 'string') {
    const [, name, optional] = /^\$(\w+)(\??)$/.exec(shape) ?? []
    if (name !== undefined) {
      return (values) => {
        const value = values[name]
        if (value !== undefined) return exactJsonText(value)
        if (optional === '') throw new RangeError(`no value for ${name}`)
        return undefined
      }
    }
    if (shape.includes('{')) return (values) => JSON.stringify(fillText(shape, values))
  } else if (Array.isArray(shape)) {
    const items = shape.map(writerOf)
    return (values) => `[${items.map((write) => write(values)).join(',')}]`
  } else if (typeof shape === 'object' && shape !== null) {
    const members = Object.entries(shape).map(
      ([key, value]) => [`${JSON.stringify(key)}:`, writerOf(value)] as const,
    )
    return (values) => {
      const texts: string[] = []
      for (const [key, write] of members) {
        const text = write(values)
        if (text !== undefined) texts.push(key + text)
      }
      return `{${texts.join(',')}}`
    }
  }
  const text = JSON.stringify(shape)
  return () => text
}

const attributeWriters = new Map(
  Object.entries(shapes.attributes).map(([tool, shape]) => [tool, writerOf(shape)]),
)
const EventShapes = z.record(z.string(), z.tuple([z.number(), z.unknown()]))
const eventWriters = new Map(
  Object.entries(EventShapes.parse(shapes.events)).map(([name, [minorVersion, shape]]) => [
    name,
    { minorVersion, write: writerOf(shape) },
  ]),
)

/**
 * What the build data API has of a build of a tool, with the names that real servers use
 * (docs/services.md#build-attributes).
 */
export function attributesOf(tool: ToolWithAttributes, values: Values): Attributes {
  return Attributes.parse(JSON.parse(attributeWriters.get(tool)?.(values) ?? ''))
}

/** An event with the moment it happened (epoch ms, whole), by which a stream is ordered. */
export interface TimedEvent {
  readonly at: number
  readonly text: string
}

const prefixes = {
  gradle: '',
  maven: 'Mvn',
  bazel: 'Bazel',
  sbt: 'Sbt',
  npm: 'Npm',
  python: 'Python',
} as const satisfies Record<ToolWithAttributes, string>

/**
 * An event of a tool as its JSON text (docs/services.md#export-event-message): its shape is the
 * tool's own or, with `*`, that of all tools. Throws a RangeError where there is neither.
 */
export function timedEvent(
  tool: ToolWithAttributes,
  name: string,
  at: number,
  values: Values,
): TimedEvent {
  const eventType = `${prefixes[tool]}${name}`
  const shape = eventWriters.get(eventType) ?? eventWriters.get(`*${name}`)
  if (shape === undefined) throw new RangeError(`no shape for ${eventType}`)
  const { minorVersion, write } = shape
  const type = `{"majorVersion":1,"minorVersion":${minorVersion},"eventType":"${eventType}"}`
  return { at, text: `{"timestamp":${at},"type":${type},"data":${write(values) ?? '{}'}}` }
}

/** The texts in order of time; what happened at the same moment stays in the given order. */
export function inOrderOfTime(events: readonly TimedEvent[]): string[] {
  return events.toSorted((one, other) => one.at - other.at).map(({ text }) => text)
}

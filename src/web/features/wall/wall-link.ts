import * as z from 'zod/mini'
import type { Wall } from '../../../protocol/wall.ts'
import { writeTiles } from '../../domain/wall/tiles-in-link.ts'

/** How a wall is shown on a screen; each can also stand in a link. */
export const WallSettings = z.object({
  /** Tiles that are well: as room allows, always, or as a count. */
  healthy: z._default(z.enum(['auto', 'show', 'fold']), 'auto'),
  scheme: z._default(z.enum(['dark', 'light']), 'dark'),
  /** `blue`: blue and orange; `contrast`: light and dark shades, which differ without color vision, too. */
  palette: z._default(z.enum(['standard', 'blue', 'contrast']), 'standard'),
  /** Per cent of each side that a television may cut off. */
  margin: z._default(z.number().check(z.minimum(0), z.maximum(10)), 0),
  /** How long a page stays, seconds, where the tiles need several. */
  page: z._default(z.int().check(z.minimum(5), z.maximum(600)), 15),
  /** Whether the picture wanders by a few pixels, against burning in. */
  drift: z._default(z.boolean(), true),
  clock: z._default(z.boolean(), true),
  /** Whether failing tiles with room have a QR code of their build. */
  qr: z._default(z.boolean(), false),
  sound: z._default(z.boolean(), false),
  speech: z._default(z.boolean(), false),
  notify: z._default(z.boolean(), false),
  /** Hours of the day, 0 to 23, between which the wall is dimmed; the same twice: never. */
  dimFrom: z._default(z.int().check(z.minimum(0), z.maximum(23)), 0),
  dimTo: z._default(z.int().check(z.minimum(0), z.maximum(23)), 0),
  /** Names of the walls that take turns with this one, `*` for all projects, and how long each stays, seconds. */
  rotate: z._default(z.readonly(z.array(z.string())), []),
  turn: z._default(z.int().check(z.minimum(10), z.maximum(3600)), 60),
})
export type WallSettings = z.infer<typeof WallSettings>

/** The settings of walls as they are kept on this device; those that cannot be read are left out. */
export function keptWallSettings(
  kept: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, WallSettings>> {
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, value]) => {
      const read = WallSettings.safeParse(value)
      return read.success ? [[name, read.data]] : []
    }),
  )
}

/** The address of the wall with this name; '' is the one of all projects. */
export function wallPath(name: string): string {
  return name === '' ? '/wall' : `/wall/${encodeURIComponent(name)}`
}

/** Where a wall is edited; `said` is what its link says of it. */
export function editPath(name: string, said = ''): string {
  return `/walls/edit${name === '' ? '' : `/${encodeURIComponent(name)}`}${said}`
}

/**
 * The address of a wall that stands wholly in it, to be opened anywhere. Written so that a person can
 * read it: of the letters that need no escape in an address, none has one.
 */
export function wallLink(wall: Wall, settings: WallSettings): string {
  const parts = [
    ['tiles', writeTiles(wall.tiles)],
    ['title', wall.title ?? ''],
    ['order', wall.order === 'failing-first' ? '' : wall.order],
    ['group', wall.group === 'none' ? '' : wall.group],
    ['settings', writeSettings(settings)],
  ] as const
  const query = parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${readable(value)}`)
    .join('&')
  const mark = query.length > longestQuery ? '#' : '?'
  return `${wallPath(wall.name)}${query === '' ? '' : `${mark}${query}`}`
}

/** Servers refuse addresses of more than some thousand letters: behind a `#` they never see them. */
const longestQuery = 4000

/** What the address of a wall says of it, wherever it says so. */
export function linkParameters(search: string, hash: string): URLSearchParams {
  const said = new URLSearchParams(search)
  for (const [name, value] of new URLSearchParams(hash.slice(1))) said.set(name, value)
  return said
}

function readable(value: string): string {
  return encodeURIComponent(value)
    .replace(/%(?:3A|3B|2C|2F|40)/g, decodeURIComponent)
    .replace(/%20/g, '+')
}

/** The settings of a link, and what of them was left out, as sentences for its reader. */
interface SettingsInLink {
  readonly settings: Partial<WallSettings>
  readonly ignored: readonly string[]
}

const OneSetting = z.strictObject(z.partial(WallSettings).shape)
const defaults = WallSettings.parse({})
const names = z.keyof(WallSettings).options

/** Writes what differs from the defaults: `healthy:fold,margin:3,rotate:core+web`. */
export function writeSettings(settings: WallSettings): string {
  return names
    .filter((name) => String(settings[name]) !== String(defaults[name]))
    .map((name) => {
      const value = settings[name]
      return `${name}:${typeof value === 'object' ? value.join('+') : String(value)}`
    })
    .join(',')
}

/** Reads settings; names and values that are none are left out and named. Never throws. */
export function readSettings(text: string): SettingsInLink {
  let settings: Partial<WallSettings> = {}
  const ignored: string[] = []
  for (const part of text.split(',').filter((entry) => entry !== '')) {
    const colon = part.indexOf(':')
    const name = colon === -1 ? part : part.slice(0, colon)
    const value = colon === -1 ? '' : part.slice(colon + 1)
    const read = OneSetting.safeParse({ [name]: valueOf(name, value) })
    if (read.success) settings = { ...settings, [name]: read.data[nameOf(name)] }
    else ignored.push(`Unknown setting “${part.slice(0, 40)}” in the link.`)
  }
  return { settings, ignored: ignored.slice(0, 3) }
}

function nameOf(name: string): keyof WallSettings {
  return names.find((known) => known === name) ?? 'healthy'
}

/** As its type has it: a number, a yes or no, names, or a word. */
function valueOf(name: string, value: string): unknown {
  const sample = defaults[nameOf(name)]
  if (typeof sample === 'number') return value.trim() === '' ? value : Number(value)
  if (typeof sample === 'boolean')
    return value === 'true' ? true : value === 'false' ? false : value
  if (typeof sample === 'object') return value.split('+').filter((part) => part !== '')
  return value
}

/** A wall as it stands in the configuration file, ready to be pasted. */
export function wallYaml(wall: Wall): string {
  const lines = [
    'walls:',
    `  - name: ${quoted(wall.name === '' ? 'projects' : wall.name)}`,
    ...(wall.title === undefined ? [] : [`    title: ${quoted(wall.title)}`]),
    ...(wall.order === 'failing-first' ? [] : [`    order: ${wall.order}`]),
    ...(wall.group === 'none' ? [] : [`    group: ${wall.group}`]),
    ...(wall.tiles.length === 0 ? [] : ['    tiles:']),
    ...wall.tiles.flatMap(({ title, query, pinned, branch }) => [
      `      - title: ${quoted(title)}`,
      `        query: ${quoted(query)}`,
      ...(pinned ? ['        pinned: true'] : []),
      ...(branch === undefined ? [] : [`        branch: ${quoted(branch)}`]),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** In double quotes: JSON's way to write a text is also YAML's. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

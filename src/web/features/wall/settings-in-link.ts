import { WallSettings } from '../../ui/device-preferences.ts'

/** The settings of a link, and what of them was left out, as sentences for its reader. */
export interface SettingsInLink {
  readonly settings: Partial<WallSettings>
  readonly ignored: readonly string[]
}

const defaults = WallSettings.parse({})
const names = WallSettings.keyof().options

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
    const read = WallSettings.partial()
      .strict()
      .safeParse({ [name]: valueOf(name, value) })
    if (read.success) settings = { ...settings, [name]: read.data[nameOf(name)] }
    else ignored.push(`The setting “${part.slice(0, 40)}” of the link is none.`)
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

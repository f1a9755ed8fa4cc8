import { nearest } from '../search/check/nearest.ts'
import {
  helpOf,
  isSecret,
  isSettingName,
  type SettingName,
  settingNames,
  Settings,
} from './config-settings.ts'

const prefix = 'SIGHTLINE_'
const fileTwin = '_FILE'
/** The gate of the command line and `npm run release` read them; they are often set for all. */
const ofOthers = /^SIGHTLINE_(?:(?:URL|TOKEN)(?:_FILE)?|RELEASE_(?:KEY_FILE|BUILDER))$/
/** What Kubernetes sets in every pod for a Service that is called sightline, or sightline-…. */
const ofServices = /^SIGHTLINE_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_\w+)$/

/** Where settings come from: handed in by the program, so that this file touches nothing. */
export interface SettingSources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Arguments of the command line, without the program's name. */
  readonly flags: readonly string[]
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string
}

/** Every value, or every mistake: a sentence each, without a secret in it. */
export type ReadSettings =
  | {
      readonly ok: true
      readonly settings: Settings
      /** The file that a value came from, for those that were given as a file. */
      readonly files: ReadonlyMap<SettingName, string>
    }
  | {
      readonly ok: false
      readonly mistakes: readonly string[]
      /** The configuration file all the same, so that its mistakes are told with these. */
      readonly configPath: string | undefined
    }

/**
 * Reads all settings: a flag wins over an environment variable, which wins over the default. The
 * `_FILE` twin of each names a file whose text, without the line break at its end, is the value.
 * What begins with SIGHTLINE_ but is no setting is a mistake, so that a misspelt one is not
 * silently ignored; so is a setting that is given both plainly and as a file.
 */
export function readSettings(sources: SettingSources): ReadSettings {
  const mistakes: string[] = []
  const values: Record<string, string> = {}
  const files = new Map<SettingName, string>()
  for (const given of [fromEnvironment(sources.environment), fromFlags(sources.flags)]) {
    const namedHere = new Map<string, string>()
    const [service] = given.filter(({ shown }) => ofServices.test(shown))
    if (service !== undefined) {
      mistakes.push(
        `${service.shown} and its like come from Kubernetes, for a Service. Set enableServiceLinks: false in the pod.`,
      )
    }
    for (const { shown, name, value } of given.filter((one) => !ofServices.test(one.shown))) {
      const setting = isSettingName(name) || !name.endsWith(fileTwin) ? name : name.slice(0, -5)
      if (!isSettingName(setting)) mistakes.push(unknownSetting(shown, setting))
      else if (value === undefined) mistakes.push(`${shown} needs a value: ${helpOf(setting)}.`)
      else if (namedHere.has(setting)) {
        const before = namedHere.get(setting) ?? ''
        mistakes.push(
          before === shown
            ? `${shown} may be given only once.`
            : `Set ${before} or ${shown}, not both.`,
        )
      } else if (setting === name && shown.startsWith('--') && isSecret(setting)) {
        mistakes.push(
          `${shown} would reveal a secret to everyone on this machine. Set ${prefix}${name} or use ${shown}-file instead.`,
        )
      } else {
        namedHere.set(setting, shown)
        if (setting === name) {
          values[setting] = value
          files.delete(setting)
        } else {
          files.set(setting, value)
          readInto(values, setting, shown, value, sources.readFile, mistakes)
        }
      }
    }
  }
  const decoded = Settings.safeParse(values)
  for (const issue of decoded.error?.issues ?? []) {
    const name = String(issue.path[0])
    const value = values[name] ?? ''
    // An address may hold a password where none belongs: it is not repeated either.
    const hidden = (isSettingName(name) && isSecret(name)) || value.includes('@')
    const shown = hidden ? '' : ` is "${value}" but`
    mistakes.push(`${prefix}${name}${shown} must be ${issue.message}.`)
  }
  return decoded.success && mistakes.length === 0
    ? { ok: true, settings: decoded.data, files }
    : { ok: false, mistakes, configPath: values.CONFIG }
}

/** What was given, as the person wrote its name, and as the table has it (perhaps with `_FILE`). */
interface Given {
  readonly shown: string
  readonly name: string
  readonly value: string | undefined
}

/** An empty variable counts as not set, as shells and container files make it easy to leave one. */
function fromEnvironment(environment: SettingSources['environment']): Given[] {
  return Object.entries(environment)
    .filter(([key, value]) => key.startsWith(prefix) && value !== undefined && value !== '')
    .filter(([key]) => !ofOthers.test(key))
    .map(([key, value]) => ({ shown: key, name: key.slice(prefix.length), value }))
}

/** `--port 8081` and `--port=8081`. */
function fromFlags(flags: readonly string[]): Given[] {
  const given: Given[] = []
  for (let at = 0; at < flags.length; at += 1) {
    const [flag = '', ...rest] = (flags[at] ?? '').split('=')
    const next = flags[at + 1]
    const follows = rest.length === 0 && next !== undefined && !next.startsWith('--')
    given.push({
      shown: flag,
      name: flag.replace(/^--/, '').replaceAll('-', '_').toUpperCase(),
      value: follows ? next : rest.length === 0 ? undefined : rest.join('='),
    })
    if (follows) at += 1
  }
  return given
}

function readInto(
  values: Record<string, string>,
  setting: string,
  shown: string,
  path: string,
  readFile: SettingSources['readFile'],
  mistakes: string[],
): void {
  const read = readSecretFile(shown, path, readFile)
  if (read.ok) values[setting] = read.text
  else mistakes.push(read.mistake)
}

/** The text of a file without the line break at its end, or why it cannot be read. */
function readSecretFile(
  shown: string,
  path: string,
  readFile: SettingSources['readFile'],
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly mistake: string } {
  try {
    // A byte order mark is what an editor wrote.
    return { ok: true, text: readFile(path).replace(/^\uFEFF|\r?\n$/g, '') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return { ok: false, mistake: `${shown}: can't read ${path}${code}.` }
  }
}

/** Reads the file of a setting again, as a secret that is often replaced while Sightline runs. */
export function rereadSetting(
  name: SettingName,
  path: string,
  readFile: SettingSources['readFile'],
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly mistake: string } {
  const read = readSecretFile(`${prefix}${name}${fileTwin}`, path, readFile)
  if (!read.ok) return read
  const decoded = Settings.shape[name].safeParse(read.text)
  if (typeof decoded.data === 'string') return { ok: true, text: decoded.data }
  const [issue] = decoded.error?.issues ?? []
  return { ok: false, mistake: `${prefix}${name} must be ${issue?.message ?? 'a text'}.` }
}

/** The likeliest setting by its letters, or else by its words, in the form in which it was given. */
function unknownSetting(shown: string, name: string): string {
  const words = new Set(name.split('_'))
  const shared = (other: string): number =>
    other.split('_').filter((word) => words.has(word)).length / other.split('_').length
  const [byWords] = [...settingNames]
    .filter((other) => shared(other) > 0)
    .sort((a, b) => shared(b) - shared(a))
  const likely = nearest(name, settingNames, 1).find(isSettingName) ?? byWords
  const form = shown.startsWith('--') ? flagOf : (one: SettingName) => `${prefix}${one}`
  const meant = likely === undefined ? '' : ` Did you mean ${form(likely)}?`
  return `${shown} isn't a setting.${meant} Run with --help to list all settings.`
}

function flagOf(name: SettingName): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}${isSecret(name) ? '-file' : ''}`
}

/** What `--help` prints: every setting as variable and flag, one line each. */
export function settingsHelp(): string {
  const rows = settingNames.map((name) => {
    return [`SIGHTLINE_${name}`, flagOf(name), helpOf(name)] as const
  })
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length)) + 2
  return [
    'Sightline: a live dashboard for build engineers and release managers.',
    '',
    '  sightline [start] [flags]   proxy, dashboard and, without a server, the embedded services',
    '  sightline --check           check servers, database and configuration, and exit',
    '  sightline embedded [flags] [--import recording.jsonl]   the embedded services alone',
    '',
    'In a checkout: npm start -- [flags], npm start -- --check, npm run embedded -- [flags].',
    '',
    'Each setting is an environment variable, a file (the same variable with _FILE, naming a file',
    'that contains the value) or a flag. Secrets can be flags only as files.',
    '',
    ...rows.map(
      ([name, flag, help]) => `  ${name.padEnd(width(0))}${flag.padEnd(width(1))}${help}`,
    ),
  ].join('\n')
}

/**
 * A credential that cannot be printed by accident: in a template, in JSON, in a log and in an
 * inspector it shows as `[secret]`. Whoever needs it says so by calling `reveal`.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]'
  }
}

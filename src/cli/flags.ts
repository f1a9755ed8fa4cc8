import { nearest } from '../search/nearest.ts'

/** An option of the command line. */
interface Option {
  /** What stands behind it; none for a switch. */
  readonly value?: string
  readonly help: string
}

/** Every option, in the order in which people are told of them. */
export const options = {
  scan: { value: 'name', help: 'the policy scan to evaluate' },
  sha256: { value: 'digest', help: 'SHA-256 of the package, unless its package URL says it' },
  'repository-url': {
    value: 'address',
    help: 'where the package is located, unless its package URL says it',
  },
  board: {
    value: 'name',
    help: 'all packages of a release board of the Sightline server, in place of a package',
  },
  server: { value: 'address', help: 'the Sightline server to go through (or SIGHTLINE_URL)' },
  format: { value: 'name', help: 'text, markdown, sarif, junit or json; text unless told' },
  output: {
    value: 'file',
    help: 'write the report there, whole or not at all; - is standard output',
  },
  'accept-waivers': { help: 'let policies pass that are waived at the Sightline server' },
  'allow-empty': { help: 'let a package pass to which no policy applies' },
  wait: {
    value: 'duration',
    help: 'ask again for so long (10m, 90s) while attestations are missing',
  },
  timeout: { value: 'duration', help: 'give up on an answer after so long; 5m unless told' },
  help: { help: 'this text' },
  version: { help: 'the version of this tool' },
} as const satisfies Readonly<Record<string, Option>>
export type OptionName = keyof typeof options

/** What was given, and what is wrong with it: a sentence each, none of which repeats a credential. */
export interface GivenFlags {
  /** The value of each option that was given; that of a switch is empty. */
  readonly values: Readonly<Partial<Record<OptionName, string>>>
  /** The words that are no options. */
  readonly words: readonly string[]
  readonly mistakes: readonly string[]
}

/** Reads `--scan release`, `--scan=release`, and words; after `--`, words alone. */
export function readFlags(given: readonly string[]): GivenFlags {
  const values: Partial<Record<OptionName, string>> = {}
  const words: string[] = []
  const mistakes: string[] = []
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? ''
    if (word === '--') {
      words.push(...given.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word)
      continue
    }
    const [flag = '', ...rest] = word.split('=')
    const name = shortNames[flag] ?? flag.replace(/^--?/, '')
    const next = given[at + 1]
    const follows =
      rest.length === 0 && next !== undefined && (next === '-' || !next.startsWith('-'))
    if (!isOption(name)) {
      mistakes.push(unknownFlag(flag, name))
      // What follows belongs to it most likely, and may be a secret.
      if (follows && !/^pkg:/i.test(next)) at += 1
      continue
    }
    const isSwitch = !('value' in options[name])
    const value = isSwitch || !follows ? rest.join('=') : next
    if (!isSwitch && follows) at += 1
    if (isSwitch && rest.length > 0) mistakes.push(`--${name} takes no value.`)
    else if (!isSwitch && value === '')
      mistakes.push(`--${name} needs a value: ${options[name].help}.`)
    else if (values[name] !== undefined) mistakes.push(`--${name} is given twice.`)
    // Also an empty one: that it was given is known then, and its absence is no second mistake.
    values[name] ??= value
  }
  return { values, words, mistakes }
}

const shortNames: Readonly<Record<string, OptionName>> = {
  '-h': 'help',
  '-V': 'version',
  '-o': 'output',
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(options, name)
}

/** Words that options for credentials have elsewhere. */
const ofCredentials =
  /^u$|user|pass|pwd|basic|bearer|token|credential|secret|auth|header|(?:api|access)-?key/i

function unknownFlag(flag: string, name: string): string {
  if (ofCredentials.test(name)) {
    return `${flag} would show a credential to everybody on this machine: set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER, or the same name with _FILE for a file that holds it.`
  }
  if (/^governor|^url$/i.test(name)) {
    return `${flag} is not an option: set SIGHTLINE_GOVERNOR_URL to the address of the service, or give --server.`
  }
  const [likely] = nearest(name, Object.keys(options), 1)
  const meant = likely === undefined ? '' : ` Did you mean --${likely}?`
  return `${flag} is not an option.${meant} --help lists them all.`
}

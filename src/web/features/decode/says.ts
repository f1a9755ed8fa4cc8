import type { Explanation } from '../../../attestation/explain.ts'
import { safeLink, visibleText } from '../../../attestation/decode/visible-text.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import { countOf } from '../../../protocol/count.ts'

/** What an attestation says, in one sentence; whether it is true is for its signatures to tell. */
export function saysSentence(explanation: Explanation): string {
  const value = (label: string): string | undefined => {
    const row = explanation.rows.find((fact) => fact.label === label)
    return row && short(row.value)
  }
  switch (explanation.name) {
    case 'Build tool': {
      const tool = [named(value('Build tool')), value('Version')].filter(Boolean).join(' ')
      return sentence('built by', tool, ['in build', value('Build')])
    }
    case 'SLSA provenance v1':
    case 'SLSA provenance v0.2':
      return sentence(
        'built by',
        value('Builder'),
        ['from', value('Source')],
        ['at', value('Ref')],
        ['in build', buildOfAddress(value('Run') ?? '')],
      )
    case 'Resolved dependencies':
    case 'Java toolchains':
    case 'Dependency repositories':
    case 'Publish repositories':
      return listSentence(explanation)
    default:
      return rowSentence(explanation)
  }
}

const verbs: Readonly<Record<string, readonly [string, string]>> = {
  'Resolved dependencies': ['its build resolved', 'dependency/dependencies'],
  'Java toolchains': ['built with', 'Java toolchain/Java toolchains'],
  'Dependency repositories': ['its dependencies came from', 'repository/repositories'],
  'Publish repositories': ['it was published to', 'repository/repositories'],
}

const mostNamed = 3

function listSentence(explanation: Explanation): string {
  const list = explanation.lists[0]
  const [verb, nouns] = verbs[explanation.name] ?? []
  if (list === undefined || verb === undefined || nouns === undefined)
    return rowSentence(explanation)
  const [one = '', many = ''] = nouns.split('/')
  const names = Array.from({ length: Math.min(list.length, mostNamed) }, (_, at) => {
    const { value, details } = list.at(at)
    const versions = details.filter(({ label }) => label === 'Version').map((fact) => fact.value)
    return short([value, versions.join(', ')].filter(Boolean).join(' '))
  })
  const isWhole = list.length <= mostNamed
  return `Claims: ${verb} ${countOf(list.length, one, many)}: ${names.join(', ')}${isWhole ? '.' : ', …'}`
}

function rowSentence({ name, rows, lists, proves }: Explanation): string {
  const parts = [
    ...rows.slice(0, mostNamed).map(({ label, value }) => `${inSentence(label)} ${short(value)}`),
    ...lists.slice(0, 2).map(({ label, length }) => `${inSentence(label)} (${length})`),
  ]
  return parts.length === 0 ? `Claims: ${proves}` : `Says (${name}): ${parts.join(', ')}.`
}

function sentence(
  verb: string,
  what: string | undefined,
  ...more: readonly (readonly [string, string | undefined])[]
): string {
  const rest = more.flatMap(([word, text]) => (text === undefined ? [] : [`${word} ${text}`]))
  return `Claims: ${[verb, what === undefined || what === '' ? 'an unnamed artifact' : what, ...rest].join(' ')}.`
}

function named(tool: string | undefined): string | undefined {
  return tool && /^[a-z]+$/.test(tool) ? `${tool.charAt(0).toUpperCase()}${tool.slice(1)}` : tool
}

/** Text of a stranger within a sentence: nothing hidden, nothing endless, no line breaks. */
function short(text: string): string {
  const shown = visibleText(text.slice(0, 120)).replace(/\s+/g, ' ')
  return text.length > 120 ? `${shown}…` : shown
}

/** A word loses its capital within a sentence; a key of the predicate stays as it is written. */
function inSentence(label: string): string {
  const shown = short(label)
  return /^[A-Z][a-z]/.test(shown) ? `${shown.charAt(0).toLowerCase()}${shown.slice(1)}` : shown
}

/** Where an attestation says that something came from: a build here, or an address of the web. */
export type Origin =
  | { readonly text: string; readonly to: string }
  | { readonly text: string; readonly address: string }

/** Links to build, source, commit and run, as far as the facts of an attestation name them. */
export function originsOf({ rows, lists }: Explanation): readonly Origin[] {
  const found = new Map<string, Origin>()
  const add = (key: string, origin: Origin): void => {
    if (!found.has(key)) found.set(key, origin)
  }
  for (const { label, value } of rows) {
    const build = label === 'Build' && isBuildId(value) ? value : buildOfAddress(value)
    if (build !== undefined)
      add(`build ${build}`, { text: `Build ${build}`, to: `/builds/${build}` })
    const address = build === undefined ? webAddress(value) : undefined
    if (address !== undefined && linked.has(label)) add(address, { text: label, address })
  }
  for (const list of lists) {
    if (list.label !== 'Inputs' && list.label !== 'Materials') continue
    for (let at = 0; at < Math.min(list.length, 3); at++) {
      const { value, details } = list.at(at)
      const address = webAddress(value)
      const commit = details.find(({ value: digest }) => /^(?:gitCommit|sha1):/.test(digest))?.value
      const hash = commit && /[0-9a-f]{40,64}$/.exec(commit)?.[0]
      if (address !== undefined && hash && hasCommitPages(address)) {
        add(`commit ${hash}`, {
          text: `Commit ${hash.slice(0, 12)}`,
          address: `${address.replace(/\.git$/, '').replace(/\/$/, '')}/commit/${hash}`,
        })
      }
    }
  }
  return [...found.values()]
}

const linked: ReadonlySet<string> = new Set([
  'Source',
  'Run',
  'Build scan',
  'Build configuration',
  'Resource',
  'Repository',
  'Report',
])

/** "git+https://host/repo@refs/heads/main" is how SLSA names a repository. */
function webAddress(text: string): string | undefined {
  const address = text.replace(/^git\+/, '').replace(/@refs\/.*$/, '')
  return safeLink(address)?.href
}

/** Where a commit has the address of its repository with "/commit/" behind it. */
function hasCommitPages(address: string): boolean {
  return /^https:\/\/(?:[\w-]+\.)*(?:github|gitlab|gitea|codeberg)\.[\w.]+\/[^/]+\/[^/]/.test(
    address,
  )
}

/** The build whose page at the build server an address is ("…/s/k3j7x2m4q7a4c"), if it is one. */
export function buildOfAddress(address: string): string | undefined {
  const id = /\/s\/([a-z0-9]{13})(?:[/?#]|$)/.exec(address)?.[1]
  return id !== undefined && isBuildId(id) ? id : undefined
}

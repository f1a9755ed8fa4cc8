import type { Explanation } from '../../../attestation/explain.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import { buildOfAddress } from './build-of-address.ts'

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
  return `Says: ${verb} ${countOf(list.length, one, many)}: ${names.join(', ')}${isWhole ? '.' : ', …'}`
}

function rowSentence({ name, rows, lists, proves }: Explanation): string {
  const told = [
    ...rows.slice(0, mostNamed).map(({ label, value }) => `${inSentence(label)} ${short(value)}`),
    ...lists.slice(0, 2).map(({ label, length }) => `${inSentence(label)} (${length})`),
  ]
  return told.length === 0 ? `Says: ${proves}` : `Says (${name}): ${told.join(', ')}.`
}

function sentence(
  verb: string,
  what: string | undefined,
  ...more: readonly (readonly [string, string | undefined])[]
): string {
  const rest = more.flatMap(([word, text]) => (text === undefined ? [] : [`${word} ${text}`]))
  return `Says: ${[verb, what === undefined || what === '' ? 'something that it does not name' : what, ...rest].join(' ')}.`
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

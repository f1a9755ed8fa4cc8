import type { Explanation } from '../../../attestation/explain.ts'
import type { FactList } from '../../../attestation/predicates/predicate-facts.ts'
import { safeLink, visibleText } from '../../../attestation/decode/visible-text.ts'
import { sentenceOf } from '../../../attestation/keys/trusted-key.ts'
import type { JsonTree } from '../../../attestation/decode/json-tree.ts'
import type { Statement } from '../../../attestation/statement/statement.ts'
import { subjectAt, subjectNodes } from '../../../attestation/statement/subjects.ts'
import { readPackageUrl } from '../../../protocol/package-url.ts'
import { shortenMiddle } from '../../ui/format.ts'
import { buildOfSource } from '../../domain/build-table/source-links.tsx'
import { countOf, countText } from '../../../protocol/count.ts'

/**
 * What an attestation says of its subject, in one sentence. Whether it is true is for its signatures:
 * without `isTrusted` the sentence says that it is a claim.
 */
export function saysSentence(
  explanation: Explanation,
  subject: string | undefined,
  isTrusted = false,
): string {
  const about = subject ?? unnamed
  const claim = claimOf(explanation, about)
  if (claim === undefined) {
    const what = explanation.isKnown ? explanation.name : 'An attestation of an unknown type'
    return `${sentenceOf(withArticle(what))} about ${about}.`
  }
  return isTrusted ? `${startOf(claim, about)}.` : `It claims that ${claim}.`
}

/** Whether an attestation, however valid, says that its subject failed. */
export function saysFailure(explanation: Explanation): boolean {
  const { name, read, rows } = explanation
  const has = (label: string, isIt: (value: string) => boolean): boolean =>
    (name === 'Simple verification result' ? rows : read.rows).some(
      (row) => row.label === label && isIt(row.value),
    )
  const isFailed = (value: string) => value !== 'PASSED' && value !== 'WARNED'
  switch (name) {
    case 'Test result':
      return has('Result', isFailed) || read.lists.some((list) => list.label === 'Failed tests')
    case 'SLSA verification summary':
      return resultOf(explanation) !== 'passed'
    case 'Simple verification result':
      return has('result', isFailed)
    case 'Policy scan':
      return has('Policies unsatisfied', () => true)
    case 'in-toto link':
    case 'Witness collection':
      return has('Exit code', (code) => code !== '0')
    default:
      return false
  }
}

/** Of a verification summary: passed if it says so in each of its spellings, and names no level that contradicts it. */
function resultOf({ read }: Explanation): 'passed' | 'failed' | 'missing' {
  const results = read.rows.filter(({ label }) => label === 'Result')
  const levels = read.lists.find(({ label }) => label === 'Verified levels')
  const isFailed = Array.from(
    { length: Math.min(levels?.length ?? 0, mostRead) },
    (_, at) => levels?.at(at).value,
  ).includes('FAILED')
  if (results.length === 0 && !isFailed) return 'missing'
  return results.every(({ value }) => value === 'PASSED') && !isFailed ? 'passed' : 'failed'
}

/** A sentence begins with a capital, unless with the name of the subject. */
function startOf(claim: string, about: string): string {
  return claim.startsWith(about) && about !== unnamed ? claim : sentenceOf(claim)
}

const unnamed = 'something unnamed'

/** The name of the subject at `at`, with how many more there are; of a package URL, name and version. */
export function subjectName(tree: JsonTree, statement: Statement, at = 0): string | undefined {
  const nodes = subjectNodes(tree, statement)
  const subject = nodes[at]
  if (subject === undefined) return undefined
  const { name, uri, digests } = subjectAt(tree, subject)
  const [digest] = digests
  const text =
    [name, uri].find((one) => one !== undefined && one !== '' && one !== '_') ??
    (digest && `${digest.algorithm}:${shortenMiddle(digest.value)}`)
  const more = nodes.length > 1 ? ` (and ${countOf(nodes.length - 1, 'more subject')})` : ''
  return text === undefined ? undefined : `${short(packageName(text) ?? text)}${more}`
}

function packageName(text: string): string | undefined {
  const read = text.startsWith('pkg:') ? readPackageUrl(text) : undefined
  if (!read?.ok) return undefined
  const { name, version = '', qualifiers } = read.purl
  const isDigest = /^(?:sha256:)?[0-9a-f]{40,}$/.test(version)
  const shown = isDigest ? (new Map(qualifiers).get('tag') ?? '') : version
  return shown === '' ? name : `${name} ${shown}`
}

/** What is said of the subject, as far as the kind has a sentence: it goes on from "that". */
function claimOf(explanation: Explanation, about: string): string | undefined {
  const { name, read } = explanation
  const value = (label: string): string | undefined => {
    const row = read.rows.find((fact) => fact.label === label)
    return row && short(row.value)
  }
  const built = (
    by: string | undefined,
    ...more: readonly (readonly [string, string | undefined])[]
  ) => sentence(`${about} was built`, ['by', by], ...more)
  const listed = (label: string): FactList | undefined =>
    read.lists.find((list) => list.label === label)
  switch (name) {
    case 'Build tool': {
      const tool = [named(value('Build tool')), value('Version')].filter(Boolean).join(' ')
      return built(tool, ['in build', value('Build')])
    }
    case 'SLSA provenance v1':
    case 'SLSA provenance v0.2':
    case 'SLSA provenance v0.1':
      return built(
        value('Builder'),
        ['from', value('Source') ?? configuredSource(explanation)],
        ['at', value('Ref')],
        ['in build', buildOfSource(value('Run') ?? '')],
      )
    case 'SLSA verification summary': {
      const said = {
        passed: `${about} passed verification`,
        failed: `${about} didn't pass verification`,
        missing: `no result is given for the verification of ${about}`,
      }
      return sentence(
        said[resultOf(explanation)],
        ['by', value('Verifier')],
        ['under', value('Policy')],
      )
    }
    case 'Test result':
      return testedClaim(value('Result'), listed('Failed tests'), about)
    case 'Vulnerability scan': {
      const found =
        listSentence(
          listed('Vulnerabilities'),
          `a scan of ${about} found`,
          'vulnerability',
          'vulnerabilities',
        ) ?? foundByTarget(listed('Scanner results'), about)
      const isNone = value('Vulnerabilities') === 'none'
      const claim = found ?? (isNone ? `a scan of ${about} found no vulnerabilities` : undefined)
      const ignored = listed('Ignored vulnerabilities')
      return claim === undefined || ignored === undefined
        ? claim
        : `${claim}, not counting ${countText(ignored.length)} ignored`
    }
    case 'SLSA source provenance':
      return sentence(`${about} was pushed`, ['by', value('Actor')], ['to', value('Repository')])
    case 'Model signature':
      return countSentence(listed('Files'), `the model ${about} consists of`, 'file', 'files')
    case 'npm publish':
      return sentence(`${about} was published`, ['to', value('Registry')])
    case 'Resolved dependencies':
      return listSentence(
        listed('Dependencies'),
        `the build of ${about} resolved`,
        'dependency',
        'dependencies',
      )
    case 'Java toolchains':
      return listSentence(listed('Toolchains'), `${about} was built with`, 'Java toolchain')
    case 'Dependency repositories':
      return listSentence(
        listed('Repositories'),
        `the dependencies of ${about} came from`,
        'repository',
        'repositories',
      )
    case 'Publish repositories':
      return listSentence(
        listed('Repositories'),
        `${about} was published to`,
        'repository',
        'repositories',
      )
    default:
      return undefined
  }
}

/** Where a build was configured is what it was built from only if that is among its materials. */
function configuredSource({ read }: Explanation): string | undefined {
  const configured = read.rows.find(({ label }) => label === 'Configuration')?.value
  const materials = read.lists.find(({ label }) => label === 'Materials')
  if (configured === undefined || materials === undefined) return undefined
  const wanted = repositoryOf(configured)
  for (let at = 0; at < Math.min(materials.length, mostRead); at++) {
    if (repositoryOf(materials.at(at).value) === wanted) return short(configured)
  }
  return undefined
}

const mostRead = 1_000

/** The repository that an address of SLSA is in. */
function repositoryOf(uri: string): string {
  return uri
    .replace(/^git\+/, '')
    .replace(/(?<=[^/:]\/[^@]*)@.*$/, '')
    .replace(/(?:\.git)?\/?$/, '')
}

function testedClaim(
  result: string | undefined,
  failed: FactList | undefined,
  about: string,
): string | undefined {
  // Whatever the result is called, a test that failed has failed.
  const failure = listSentence(failed, `${about} failed`, 'test')
  if (failure !== undefined) return failure
  if (result === 'PASSED') return `${about} passed its tests`
  if (result === 'WARNED') return `${about} passed its tests, with warnings`
  return result?.toUpperCase() === 'FAILED' ? `${about} failed its tests` : undefined
}

/** Of a scanner that reports by target; one that lists nothing may not have looked for vulnerabilities. */
function foundByTarget(targets: FactList | undefined, about: string): string | undefined {
  if (targets === undefined || targets.length > mostRead) return undefined
  const counts = Array.from({ length: targets.length }, (_, at) =>
    targets
      .at(at)
      .details.flatMap(({ label, value }) => (label === 'Vulnerabilities' ? [Number(value)] : [])),
  )
  const all = counts.flat().reduce((sum, count) => sum + count, 0)
  return all === 0
    ? undefined
    : `a scan of ${about} found ${countOf(all, 'vulnerability', 'vulnerabilities')}`
}

const mostNamed = 3

function listSentence(
  list: FactList | undefined,
  verb: string,
  one: string,
  many = `${one}s`,
): string | undefined {
  if (list === undefined) return undefined
  const names = Array.from({ length: Math.min(list.length, mostNamed) }, (_, at) => {
    const { value, details } = list.at(at)
    const versions = details.filter(({ label }) => label === 'Version').map((fact) => fact.value)
    return short([value, versions.join(', ')].filter(Boolean).join(' '))
  })
  const rest = list.length > mostNamed ? ' and more' : ''
  return `${verb} ${countOf(list.length, one, many)}: ${names.join(', ')}${rest}`
}

function countSentence(
  list: FactList | undefined,
  verb: string,
  one: string,
  many: string,
): string | undefined {
  return list && `${verb} ${countOf(list.length, one, many)}`
}

function sentence(
  start: string,
  ...more: readonly (readonly [string, string | undefined])[]
): string {
  const rest = more.flatMap(([word, text]) =>
    text === undefined || text === '' ? [] : [`${word} ${text}`],
  )
  return [start, ...rest].join(' ')
}

/** A kind of attestation within a sentence; proper names and names in capitals keep theirs. */
function withArticle(name: string): string {
  if (/^An? /.test(name)) return name
  if (name === 'OpenVEX') return 'an OpenVEX document'
  if (name === 'Release') return 'release data'
  if (/(?:attributes|dependencies|insights|repositories|results|toolchains)$/.test(name)) {
    return inSentence(name)
  }
  return `${/^[aeio]|^(?:SLSA|SCAI|SPDX|npm)\b/i.test(name) ? 'an' : 'a'} ${inSentence(name)}`
}

function named(tool: string | undefined): string | undefined {
  return tool && /^[a-z]+$/.test(tool) ? `${tool.charAt(0).toUpperCase()}${tool.slice(1)}` : tool
}

/** Text of a stranger within a sentence: nothing hidden, nothing endless, no line breaks. */
function short(text: string): string {
  const shown = visibleText(text, 120).replace(/\s+/g, ' ')
  return text.length > 120 ? `${shown}…` : shown
}

/** A word loses its capital within a sentence; a proper name keeps its own. */
function inSentence(name: string): string {
  const isProper =
    /^(?:Ampel|Chainloop|CycloneDX|Grype|Java|OpenEoX|OpenVEX|PyPI|Snappy|Syft|Trivy|Witness)\b/.test(
      name,
    ) || !/^[A-Z][a-z]/.test(name)
  return isProper ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

/** Where on the web something came from that an attestation names. */
export interface Origin {
  readonly text: string
  readonly address: string
}

/** Links to sources and commits whose names aren't addresses, so that their fields are no links. */
export function originsOf({ rows, lists }: Explanation): readonly Origin[] {
  const found = new Map<string, Origin>()
  const add = (key: string, origin: Origin): void => {
    if (!found.has(key)) found.set(key, origin)
  }
  for (const { label, value } of rows) {
    const address = safeLink(value) === undefined ? webAddress(value) : undefined
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

const linked: ReadonlySet<string> = new Set(['Source', 'Configuration', 'Resource', 'Repository'])

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

import type { BuildFailure } from '../../protocol/facts.ts'
import { cutText } from '../../protocol/untrusted-text.ts'
import { factsMessageLength } from './failure-text.ts'

/**
 * What failures have in common that are the same failure: of tests the first that failed, of others the
 * task, the class of the exception and the message without what differs from build to build. Of the
 * message only the part counts that facts have, so that the key is the same wherever the failure was read. Never throws.
 */
export function failureKey({ task, exception, message, test }: BuildFailure): string {
  const where = task === undefined ? '' : cutText(oneLine(task), 200)
  const parts =
    test === undefined
      ? [where, exception === undefined ? '' : stableText(exception), stableText(message)]
      : // The same class may run in several tasks, such as one for each version of Java.
        [test.className === undefined ? where : oneLine(test.className), stableName(test.name)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** Without what differs from one set of parameters to the next; numbers in a method's name stay. */
function stableName(name: string): string {
  const at = name.search(/[[(]/)
  return at === -1 ? oneLine(name) : oneLine(name.slice(0, at)) + stableText(name.slice(at))
}

/**
 * A message on one line without what differs from build to build: numbers, hashes, UUIDs, URLs, paths,
 * dates, hosts, addresses in memory and temporary names stand as `<n>`, `<id>`, `<url>`, `<path>`,
 * `<time>`, `<host>` and `<temp>`. Only its beginning counts. What is stable already stays as it is.
 */
export function stableText(message: string): string {
  let text = oneLine(cutText(message, factsMessageLength))
  // What stands around a placeholder may be one itself once the placeholder stands there.
  for (let round = 0; round < mostRounds; round += 1) {
    const next = cutPlaceholders(text.replace(unstable, placeholder))
    if (next === text) break
    text = next
  }
  return text
}

const mostRounds = 8

/** Without escapes of terminals and control characters, and with single spaces. */
function oneLine(text: string): string {
  return text
    .replace(terminalEscape, '')
    .replace(/[\s\p{Cc}\p{Zs}]+/gu, ' ')
    .trim()
}

const terminalEscape = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]`, 'g')

function cutPlaceholders(text: string): string {
  return cutText(text, factsMessageLength)
    .replace(/<[a-z]{0,4}$/, '')
    .trimEnd()
}

/** In the order in which they are tried at each place; the name of each group is its placeholder. */
const kinds = {
  known: /<(?:n|id|url|path|time|host|temp)>/,
  url: /\b[a-zA-Z][a-zA-Z\d+.-]{0,20}:\/{1,3}[^\s'"`<>()[\]{},;]+/,
  id: new RegExp(
    [
      /\b[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}\b/,
      /\b0x[\da-fA-F]+\b/,
      /(?<=@)[\da-f]{5,16}\b/,
      /\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,128}\b/,
      /\b(?=[A-F]*\d)(?=\d*[A-F])[\dA-F]{7,128}\b/,
      /\b(?=[a-zA-Z_-]{0,40}\d)(?=[\da-z_-]{0,40}[A-Z])(?=[\dA-Z_-]{0,40}[a-z])[\w-]{24,}\b/,
    ]
      .map(({ source }) => source)
      .join('|'),
  ),
  time: new RegExp(
    [
      /\b\d{4}[-/]\d\d[-/]\d\d(?:[T _]\d\d[:.]\d\d(?:[:.]\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?/,
      /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}|\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)\b(?:,? \d\d:\d\d:\d\d)?(?:,? [A-Z]{3,4})?(?:,? \d{4}\b)?(?:,? \d\d:\d\d:\d\d)?/,
      /\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M)?/,
    ]
      .map(({ source }) => source)
      .join('|'),
  ),
  path: new RegExp(
    [
      /(?<![\w>])[A-Za-z]:[\\/][^\s'"`<>|:*?,;()]*/,
      /(?<![\w>\\])\\\\[^\s'"`<>|:*?,;()]+/,
      /(?<![\w>:/.~])(?:~|\.{1,2})?\/[\w.@+~%$=-]+(?:\/[\w.@+~%$=-]+)*\/?/,
      /(?<![\w>@/.-])[\w.@+-]{1,80}(?:\/[\w.@+~%$=-]+){1,40}\.[a-zA-Z]\w{0,9}\b/,
    ]
      .map(({ source }) => source)
      .join('|'),
  ),
  host: new RegExp(
    [
      /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/,
      /\[?(?=[\da-f:]{0,39}\d)(?:\b[\da-f]{1,4})?(?::[\da-f]{0,4}){3,7}(?:%\w+)?\]?(?::\d{1,5})?/,
      /\blocalhost(?::\d{1,5})?\b/,
      // Neither a package, whose name begins with a domain, nor a line of a file.
      /(?<![\w.-])(?!(?:com|org|net|io|dev|edu|de)\.)(?:[a-z\d][a-z\d-]{0,60}\.){1,8}(?:com|org|net|io|dev|local|internal|corp|lan|example|invalid)(?::\d{1,5})?(?![\w.-])/,
      /(?<![\w.-])(?:[a-z\d][a-z\d-]{0,60}\.){1,8}(?!(?:java|kts?|groovy|scala|gradle|[cm]?[jt]sx?|py|go|rs|cc?|cpp|hh?|rb|xml|ya?ml|json):)[a-z]{2,10}:\d{2,5}(?![\w.-])/,
    ]
      .map(({ source }) => source)
      .join('|'),
  ),
  temp: /\b(?:tmp|temp|junit)[-_.]?(?=[a-z_.-]{0,20}\d)[\w.-]*\w|(?<=['"`])(?=[a-zA-Z_.-]{0,20}\d)(?:[\w-]*[a-z]\d+[a-z]+\d+[\w-]*|[\w-]*\d{4,}[\w-]*)(?:\.tmp|\.temp|\.lock)?(?=['"`])/,
  n: /\d+(?:[.,_]\d+)*(?: ?(?:ms|s|m|h|min|mins|sec|secs|seconds?|minutes?|hours?|bytes|[kKMGT]i?B)\b)?/,
} satisfies Record<string, RegExp>

const unstable = new RegExp(
  Object.entries(kinds)
    .map(([kind, { source }]) => `(?<${kind}>${source})`)
    .join('|'),
  'g',
)

function placeholder(found: string, ...rest: unknown[]): string {
  const groups: unknown = rest.at(-1)
  const [kind] = Object.entries(groups ?? {}).find(([, text]) => text !== undefined) ?? []
  return kind === undefined || kind === 'known' ? found : `<${kind}>`
}

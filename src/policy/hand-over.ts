import { utcText } from './scan-report.ts'
import { type Assignment, isOverdue } from '../protocol/assignment.ts'
import { countOf, countText } from '../protocol/count.ts'
import { policyScanPath } from '../protocol/package-address.ts'
import { packageText } from '../protocol/package-reference.ts'
import type { BoardFailure, FailureGroup } from './board-failures.ts'
import { code, cutText, inline } from '../protocol/untrusted-text.ts'
import { policyKey } from './policy-group.ts'

/** What is handed over: failures of a board in groups, and what is around them. */
export interface HandOver {
  /** Of the board. */
  readonly title: string
  readonly sentence: string
  readonly groups: readonly FailureGroup[]
  /** By the key of a cell. */
  readonly assignments: ReadonlyMap<string, Assignment>
  /** What was decided on the board, a sentence; undefined where nothing was. */
  readonly decision: string | undefined
  /** Where people open this Sightline. */
  readonly origin: string
  /** The path and query of the board, with the filters that were on. */
  readonly boardPath: string
  /** Epoch ms. */
  readonly writtenAt: number
}

/** As many characters a text may have: what trackers and chats take. */
const longestTicket = 60_000
const longestChat = 12_000
const longestMail = 60_000
/** Longer addresses are cut by mail programs and by Windows. */
const longestMailto = 1900

/** For a ticket: Markdown with a task for each package; nothing in a name is markup, and nobody is notified. */
export function handOverMarkdown(handOver: HandOver): string {
  return written(handOver, longestTicket, {
    title: (text) => `## ${quiet(inline(text))}`,
    heading: (text) => `### ${quiet(inline(text))}`,
    plain: (text) => quiet(inline(text)),
    name: (text) => code(oneLine(text)),
    link: (text, url) => `[${inline(text)}](<${url.replace(/[<>]/g, encodeURIComponent)}>)`,
    item: (text) => `- [ ] ${text}`,
  })
}

/** For Slack, as mrkdwn: names stand as code, and nobody is notified. */
export function handOverSlack(handOver: HandOver): string {
  return written(handOver, longestChat, {
    title: (text) => `*${slackWords(text)}*`,
    heading: (text) => `*${slackWords(text)}*`,
    plain: slackWords,
    name: (text) => `\`${slackText(text).replaceAll('`', 'ˋ')}\``,
    link: (text, url) => `<${slackText(url).replaceAll('|', '%7C')}|${slackWords(text)}>`,
    item: (text) => `• ${text}`,
  })
}

/** For any chat, without markup. */
export function handOverPlain(handOver: HandOver): string {
  return written(handOver, longestChat, plainForm)
}

/** A mail, and the address that opens it in a mail program. */
export interface HandOverMail {
  readonly subject: string
  readonly body: string
  /** `mailto:` (RFC 6068); with the beginning of the text where all of it would be too long. */
  readonly mailto: string
  readonly isShortened: boolean
}

/** For mail, without markup. */
export function handOverMail(handOver: HandOver): HandOverMail {
  const { title, groups } = handOver
  const failures = groups.flatMap(({ lines }) => lines).flatMap((line) => line.failures)
  const packages = new Set(failures.map(({ row }) => row.row)).size
  const [first] = groups
  const what =
    groups.length === 1 && first !== undefined
      ? `${nameOf(first)} fails ${countOf(packages, 'package')}`
      : `${countOf(packages, 'package')} to fix`
  const subject = cutText(oneLine(`${title}: ${what}`), 200)
  const body = written(handOver, longestMail, plainForm)
  const whole = mailtoOf(subject, body)
  if (whole.length <= longestMailto) return { subject, body, mailto: whole, isShortened: false }
  // What one character takes in an address differs: the text is cut until it fits.
  let most = longestMailto
  for (;;) {
    const mailto = mailtoOf(subject, written(handOver, most, plainForm))
    if (mailto.length <= longestMailto || most < 100) {
      return { subject, body, mailto: mailto.slice(0, longestMailto), isShortened: true }
    }
    most = Math.floor(most * 0.8)
  }
}

function mailtoOf(subject: string, body: string): string {
  const encoded = encodeURIComponent(body.replaceAll('\n', '\r\n'))
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encoded}`
}

/** How a form writes what it is made of. Texts come as they are, of any length and with any character. */
interface Form {
  readonly title: (text: string) => string
  readonly heading: (text: string) => string
  readonly plain: (text: string) => string
  /** A package, a digest, a cause. */
  readonly name: (text: string) => string
  readonly link: (text: string, url: string) => string
  readonly item: (text: string) => string
}

const plainForm: Form = {
  title: oneLine,
  heading: oneLine,
  plain: oneLine,
  name: oneLine,
  link: (text, url) => `${oneLine(text)}: ${url}`,
  item: (text) => `- ${text}`,
}

function written(handOver: HandOver, most: number, form: Form): string {
  const { title, sentence, groups, decision, origin, boardPath, writtenAt } = handOver
  const end = `${form.link('Board', `${origin}${boardPath}`)}. ${form.plain(`Written ${utcText(writtenAt)}.`)}`
  const blocks = [
    [
      form.title(title),
      form.plain(sentence),
      ...(decision === undefined ? [] : [form.plain(`Decision: ${decision}`)]),
    ],
    ...groups.map((group) => groupBlock(handOver, group, form)),
  ]
  const lines: string[] = []
  // Room for what says that something was left out.
  let room = most - end.length - 60
  let left = 0
  for (const [index, block] of blocks.entries()) {
    for (const line of index === 0 ? block : ['', ...block]) {
      const isItem = line.startsWith(form.item(''))
      if (room < line.length + 1 || left > 0) {
        left += isItem ? 1 : 0
        room = 0
        continue
      }
      room -= line.length + 1
      lines.push(line)
    }
  }
  const more = left === 0 ? [] : [form.plain(`And ${countText(left)} more on the board.`)]
  return `${[...lines, ...more, '', end].join('\n')}\n`
}

function groupBlock(handOver: HandOver, group: FailureGroup, form: Form): readonly string[] {
  const { first, packages } = group
  const failures = [...new Set(group.lines.flatMap((line) => line.failures))]
  const remedy = remedyOf(first)
  const isOfOnePolicy = new Set(failures.map(({ policy }) => policy)).size === 1
  return [
    form.heading(`${nameOf(group)} fails ${countOf(packages, 'package')}`),
    ...(isOfOnePolicy && first.policyOwner !== ''
      ? [form.plain(`Policy owner: ${first.policyOwner}`)]
      : []),
    ...(isOfOnePolicy && remedy !== '' ? [form.plain(`How to fix: ${remedy}`)] : []),
    ...failures.map((failure) => form.item(itemText(handOver, failure, form, isOfOnePolicy))),
  ]
}

function itemText(
  { origin, assignments, writtenAt }: HandOver,
  failure: BoardFailure,
  form: Form,
  isPolicyNamed: boolean,
): string {
  const { row, cell, name, causes, policy } = failure
  const { address, sha256, repositoryUrl } = row.of
  const { scan, key } = cell.place
  const { known } = cell.cell
  const path = policyScanPath(address, scan)
  const run = known?.outcome.evaluation
  const search = new URLSearchParams({ sha256, repository: repositoryUrl }).toString()
  const url =
    typeof run === 'string'
      ? `${origin}${path}/runs/${encodeURIComponent(run)}`
      : `${origin}${path}?${search}`
  const waiver = failure.isWaived ? cell.waived.get(policy) : undefined
  const assignment = assignments.get(key)
  const remedy = remedyOf(failure)
  const evaluated =
    known === undefined
      ? ''
      : `, evaluated ${utcText(known.at)}${known.outcome.by === undefined ? '' : ` by ${known.outcome.by}`}`
  return [
    `${form.name(packageText(failure.row.of.address))}, ${form.plain(`scan ${scan}`)}${isPolicyNamed ? '' : `, ${form.plain(name)}`}`,
    causes.map(form.name).join(', '),
    ...(isPolicyNamed || remedy === '' ? [] : [form.plain(remedy)]),
    ...(waiver === undefined
      ? []
      : [
          form.plain(
            `waived until ${utcText(waiver.expiresAt)} by ${waiver.person}: ${waiver.reason}`,
          ),
        ]),
    ...(assignment === undefined
      ? []
      : [form.plain(assignmentText(assignment, writtenAt, utcText))]),
    form.name(`sha256:${sha256}`),
    `${form.link('Recorded run', url)}${form.plain(evaluated)}`,
  ].join('; ')
}

/** "assigned to Grace, due Dec 1, 2026 (overdue): note". `now` is epoch ms; `dueText` writes such a time. */
export function assignmentText(
  assignment: Assignment,
  now: number,
  dueText: (at: number) => string,
): string {
  const { assignee, note, dueAt } = assignment
  const parts = [
    ...(assignee === '' ? [] : [`assigned to ${assignee}`]),
    ...(dueAt === null
      ? []
      : [`due ${dueText(dueAt)}${isOverdue(assignment, now) ? ' (overdue)' : ''}`]),
  ]
  return `${parts.join(', ')}${note === '' ? '' : parts.length === 0 ? note : `: ${note}`}`
}

function remedyOf({ cell, policy }: BoardFailure): string {
  const failing = cell.cell.known?.outcome.failing ?? []
  return failing.find(({ uri }) => policyKey(uri) === policy)?.remedy ?? ''
}

function nameOf({ title }: FailureGroup): string {
  return title === '' ? 'What has no owner' : title
}

/** One line without what cannot be seen, such as marks that turn the reading direction around. */
function oneLine(text: string): string {
  return (
    text
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .replace(/\p{Cf}/gu, '')
      // No address takes half a character.
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .trimEnd()
  )
}

/** A name after an at sign notifies no one. */
function quiet(text: string): string {
  return oneLine(text).replace(/@(?=[\p{L}\p{N}])/gu, '@\u2060')
}

/** The three characters that Slack reads as markup of its own. */
function slackText(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Words in which no character makes anything bold, struck or code. */
function slackWords(text: string): string {
  return quiet(slackText(text)).replace(/[*_~`]/g, (char) => `\u2060${char}\u2060`)
}

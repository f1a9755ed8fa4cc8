import { createHash } from 'node:crypto'
import { z } from 'zod'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'

/** What a message says, apart from how its receiver wants it written. Texts are one line each, unescaped. */
export const AlertMessage = z.object({
  kind: z.enum(['failing', 'still-failing', 'recovered', 'other']),
  /** ✕ or ✓; empty where neither fits. */
  mark: z.string(),
  /** What it is about: a tile's title. */
  title: z.string(),
  /** Sentences. */
  text: z.string(),
  /** What its mail is about where kind and title don't say it; absent: its first sentence. */
  subject: z.optional(z.string()),
  link: z.optional(z.object({ label: z.string(), url: z.string() })),
  /** The sentence of the text that names who is on it, with the space before it. */
  onIt: z.optional(z.string()),
  /** When the failures began, epoch ms. */
  since: z.optional(z.number()),
  /** On how many finished builds it rests. */
  builds: z.optional(z.number()),
  /** The same for messages that belong together: a failure and its recovery. */
  thread: z.string(),
})
export type AlertMessage = z.infer<typeof AlertMessage>

/** A message as it was stored. */
export interface StoredMessage {
  /** As Slack reads it. */
  readonly text: string
  /** `AlertMessage` as JSON; null for those that have no more than their text. */
  readonly message: string | null
  /** The addresses that haven't got it while others have, one a line; null, or absent, for all. */
  readonly leftTo?: string | null
  /** The same each time that it is sent, and of no other message; absent where it is sent once. */
  readonly id?: string
}

/** A message as it is stored. */
export function written(message: AlertMessage): {
  readonly text: string
  readonly message: string
} {
  return { text: slackText(message), message: JSON.stringify(message) }
}

/** How a webhook wants its messages: Slack and what understands its format, Microsoft Teams, or everything. */
export const webhookShapes = ['slack', 'teams', 'json'] as const
export type WebhookShape = (typeof webhookShapes)[number]

/** The body of a request with these messages, at least one. */
export function webhookBody(shape: WebhookShape, stored: readonly StoredMessage[]): object {
  switch (shape) {
    case 'slack':
      return { text: stored.map(({ text }) => text).join('\n') }
    case 'teams':
      return teamsCard(stored.map(readMessage))
    case 'json':
      return {
        version: 1,
        messages: stored.map((one) => {
          const { since, onIt: _, subject: __, ...message } = readMessage(one)
          return {
            ...(one.id !== undefined && { id: one.id }),
            ...message,
            ...(since !== undefined && { since: new Date(since).toISOString() }),
          }
        }),
      }
  }
}

/**
 * How many of these messages, the first ones and at least one, are one request that receivers of this shape take. Slack cuts a
 * text after 40,000 characters, Mattermost takes 16,383; Teams takes 28 KB, and may count two bytes for each character.
 */
export function fittingMessages(shape: WebhookShape, stored: readonly StoredMessage[]): number {
  let count = stored.length
  while (count > 1 && !isTaken(shape, stored.slice(0, count))) count -= 1
  return count
}

function isTaken(shape: WebhookShape, stored: readonly StoredMessage[]): boolean {
  if (shape === 'json') return true
  const body = JSON.stringify(webhookBody(shape, stored))
  if (shape === 'slack') return body.length <= 16_000
  return Math.max(Buffer.byteLength(body), 2 * body.length) <= 28_000
}

/** What a stored message says; of one without structure, its text without Slack's markup. */
export function readMessage({ text, message }: StoredMessage): AlertMessage {
  const read = message === null ? undefined : AlertMessage.safeParse(parsedJson(message)).data
  if (read !== undefined) return read
  const link = /<(https?:[^|>]+)\|([^>]*)>\s*$/.exec(text)
  const rest = unescaped(link === null ? text : text.slice(0, link.index)).trim()
  const [, mark = '', sentence = rest] = /^([✕✓?]) (.*)$/u.exec(rest) ?? []
  return {
    kind: 'other',
    mark,
    title: sentence.split(/[:.,]/, 1)[0]?.slice(0, 80) ?? '',
    text: sentence,
    ...(link === null ? {} : { link: { url: unescaped(link[1] ?? ''), label: link[2] ?? '' } }),
    thread: '',
  }
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** As Slack and its like read it: nothing that came from a build can become a link or a mention. */
export function slackText({ mark, text, link }: AlertMessage): string {
  const sentence = [mark, escaped(text)].filter((part) => part !== '').join(' ')
  // Percent-encoded already: neither > nor | can be in it.
  return link === undefined
    ? sentence
    : `${sentence} <${link.url.replaceAll('&', '&amp;')}|${escaped(link.label)}>`
}

/** The three characters escaped that begin Slack's markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const longestPart = 200

/** A text from outside on one line, `longest` characters at most. */
export function singleLine(text: string, longest: number = longestPart): string {
  // What joins letters or emoji is part of them.
  const line = text
    .replace(/(?:[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\s]|(?![\u200c\u200d])\p{Cf})+/gu, ' ')
    .trim()
  // Some receivers refuse half a character.
  return shortText(line, longest)
}

/** A card as Teams' workflows take it; a text block's Markdown is escaped. */
function teamsCard(messages: readonly AlertMessage[]): object {
  const body = messages.flatMap(({ mark, text, link }) => [
    {
      type: 'TextBlock',
      wrap: true,
      text: markdownEscaped([mark, text].filter((part) => part !== '').join(' ')),
    },
    ...(link === undefined
      ? []
      : [
          {
            type: 'ActionSet',
            actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
          },
        ]),
  ])
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body,
        },
      },
    ],
  }
}

function markdownEscaped(text: string): string {
  return text.replace(/[\\`*_[\]()#~<>|]/g, String.raw`\$&`)
}

/** An e-mail: its subject, and a plain text that names each link. */
export interface AlertMail {
  readonly subject: string
  readonly text: string
  /** What messages of one thread have in common; empty for several, or where nothing belongs to it. */
  readonly thread: string
  /** The same each time that these messages are sent together: that of the thread which it begins, else its own; empty for none. */
  readonly id: string
}

/** A title may have full stops: what it is about and how it stands is said of itself. */
function subjectOf({ kind, title, text, subject }: AlertMessage): string {
  // What has become of it isn't cut with a long title.
  const name = singleLine(title, 130)
  switch (kind) {
    case 'failing':
      return `${name} is failing`
    case 'still-failing':
      return `${name} is still failing`
    case 'recovered':
      return `${name} has recovered`
    case 'other':
      return subject ?? text.split('. ', 1)[0] ?? ''
  }
}

/** What is mailed of these messages, at least one. */
export function alertMail(stored: readonly StoredMessage[]): AlertMail {
  const messages = stored.map(readMessage)
  const [first] = messages
  const isOne = messages.length === 1
  const failing = messages.filter(({ kind }) => kind.endsWith('failing')).length
  const thread = isOne ? (first?.thread ?? '') : ''
  return {
    subject: isOne
      ? `[Sightline] ${singleLine(first === undefined ? '' : subjectOf(first), 150)}`
      : `[Sightline] ${messages.length} messages${failing > 0 ? `, ${failing} of failures` : ''}`,
    text: messages
      .map(({ mark, text, link }) =>
        [
          [mark, text].filter((part) => part !== '').join(' '),
          ...(link === undefined ? [] : [link.url]),
        ].join('\n'),
      )
      .join('\n\n'),
    thread,
    id: isOne && first?.kind === 'failing' && thread !== '' ? thread : mailId(stored),
  }
}

function mailId(stored: readonly StoredMessage[]): string {
  const ids = stored.flatMap(({ id }) => id ?? [])
  if (ids.length < 2) return ids[0] ?? ''
  return createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 32)
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  alertMail,
  type AlertMessage,
  fittingMessages,
  readMessage,
  singleLine,
  slackText,
  type StoredMessage,
  webhookBody,
} from './alert-message.ts'

const failing: AlertMessage = {
  kind: 'failing',
  mark: '✕',
  title: 'Web & shop',
  text: 'Web & shop is failing (since Jan 5, 2026, 09:01 UTC). Based on 2 builds.',
  link: { label: 'Build', url: 'https://builds.example/s/b?a=1&b=2' },
  since: Date.UTC(2026, 0, 5, 9, 1),
  builds: 2,
  thread: 'abc',
}
const stored = (message: AlertMessage): StoredMessage => ({
  text: slackText(message),
  message: JSON.stringify(message),
})

test('Slack gets text with its three characters escaped', () => {
  expect(webhookBody('slack', [stored(failing)])).toEqual({
    text: '✕ Web &amp; shop is failing (since Jan 5, 2026, 09:01 UTC). Based on 2 builds. <https://builds.example/s/b?a=1&amp;b=2|Build>',
  })
})

test('a text that is cut ends in a whole character', () => {
  for (const before of ['', 'x']) {
    const cut = singleLine(before + '🎉'.repeat(200), 20)
    expect(cut).toMatch(/🎉…$/u)
    expect(cut).not.toMatch(/\p{Surrogate}/u)
    expect(cut.length).toBeLessThanOrEqual(20)
  }
})

test('a text is one line, in which what joins its letters stays', () => {
  expect(singleLine(' a\r\n\tb\u202e\u200bc ')).toBe('a b c')
  for (const joined of ['👩‍👩‍👧 core', 'می‌خواهم']) expect(singleLine(joined)).toBe(joined)
})

test('several messages are one: lines, blocks, or a list', () => {
  const two = [stored(failing), stored({ ...failing, kind: 'recovered', mark: '✓' })]
  expect(
    z.object({ text: z.string() }).parse(webhookBody('slack', two)).text.split('\n'),
  ).toHaveLength(2)
  expect(webhookBody('json', two)).toMatchObject({
    version: 1,
    messages: [
      { kind: 'failing', title: 'Web & shop', since: '2026-01-05T09:01:00.000Z', builds: 2 },
      { kind: 'recovered', link: { url: 'https://builds.example/s/b?a=1&b=2' } },
    ],
  })
  expect(alertMail(two)).toMatchObject({
    subject: '[Sightline] 2 messages, 1 of failures',
    thread: '',
  })
})

test('Teams gets an adaptive card whose Markdown says only what the text does', () => {
  const tricky = { ...failing, text: '[click](https://evil.example) **now** <at>all</at>' }
  expect(webhookBody('teams', [stored(tricky)])).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: String.raw`✕ \[click\]\(https://evil.example\) \*\*now\*\* \<at\>all\</at\>`,
            },
            { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', url: failing.link?.url }] },
          ],
        },
      },
    ],
  })
})

test('a message without parts, of a board or an older release, is read from its text', () => {
  const text =
    '✕ Shop &amp; co is not releasable: 2 fail. <https://s.example/board/a?x=1&amp;y|Board>'
  expect(readMessage({ text, message: null })).toMatchObject({
    mark: '✕',
    text: 'Shop & co is not releasable: 2 fail.',
    link: { label: 'Board', url: 'https://s.example/board/a?x=1&y' },
  })
  expect(readMessage({ text: 'Two waivers end.', message: '{"odd":1}' })).toMatchObject({
    mark: '',
    text: 'Two waivers end.',
  })
})

test('what is mailed has a subject of one line and names its link', () => {
  expect(alertMail([stored(failing)])).toEqual({
    subject: '[Sightline] Web & shop is failing',
    text: `✕ ${failing.text}\nhttps://builds.example/s/b?a=1&b=2`,
    thread: 'abc',
    id: 'abc',
  })
})

test.each([
  ['failing', 'is failing'],
  ['still-failing', 'is still failing'],
  ['recovered', 'has recovered'],
] as const)('the subject of a long title says that it %s', (kind, ending) => {
  const title = 'long-'.repeat(40)
  const { subject } = alertMail([stored({ ...failing, kind, title })])
  expect(subject).toMatch(new RegExp(`^\\[Sightline\\] long-.*… ${ending}$`))
  expect(subject.length).toBeLessThan(165)
})

test('what is sent again is known by its id, in mail and as JSON', () => {
  const recovered = { ...stored({ ...failing, kind: 'recovered' }), id: 'one' }
  expect(alertMail([recovered])).toMatchObject({ thread: 'abc', id: 'one' })
  const both = [recovered, { ...stored(failing), id: 'two' }]
  expect(alertMail(both).id).toBe(alertMail(both).id)
  expect(alertMail(both).id).not.toBe(alertMail(both.toReversed()).id)
  expect(webhookBody('json', both)).toMatchObject({ messages: [{ id: 'one' }, { id: 'two' }] })
})

test("every text comes back from Slack's markup as it was, and no subject has a line break", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const line = text.replace(/\s+/gu, ' ').trim()
      const message = { ...failing, mark: '', text: line, link: undefined }
      const { text: read } = readMessage({ text: slackText(message), message: null })
      if (!/^[✕✓?] /u.test(line)) expect(read).toBe(line)
      expect(alertMail([{ text, message: null }]).subject).not.toMatch(/[\r\n]/)
    }),
  )
})

test.each([
  ['slack', 'x'.repeat(1000), 15],
  ['slack', '&'.repeat(1000), 3],
  ['teams', 'x'.repeat(1000), 11],
  ['teams', '*'.repeat(1000), 4],
  ['teams', '試'.repeat(1000), 8],
  ['teams', '試'.repeat(20_000), 1],
  ['json', 'x'.repeat(10_000), 20],
] as const)(
  'what goes into one request for %s stays within what that takes',
  (shape, text, most) => {
    const all = Array.from({ length: 20 }, () => stored({ ...failing, text }))
    expect(fittingMessages(shape, all)).toBe(most)
    if (shape !== 'teams' || most === 1) return
    const body = JSON.stringify(webhookBody(shape, all.slice(0, most)))
    expect(Buffer.byteLength(body)).toBeLessThan(28_000)
    expect(Buffer.byteLength(body, 'utf16le')).toBeLessThan(28_000)
  },
)

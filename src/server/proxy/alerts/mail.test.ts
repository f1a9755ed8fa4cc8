import { createServer } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type AlertMessage, slackText } from './alert-message.ts'
import { createMailer } from './mail.ts'
import type { Webhook } from './webhook.ts'

const failing: AlertMessage = {
  kind: 'failing',
  mark: '✕',
  title: 'checkout',
  text: 'checkout is failing (since Jan 5, 2026, 09:01 UTC).',
  link: { label: 'Build', url: 'https://builds.example/s/b' },
  thread: 'abc',
}
const stored = (message: AlertMessage) => ({
  text: slackText(message),
  message: JSON.stringify(message),
})

/** A mail server of its own, which keeps what it gets; `refuse` gives a status for each recipient, or for some. */
async function mailServer(
  options: SMTPServerOptions = {},
  refuse?: number | Readonly<Record<string, number>>,
) {
  const mails: { readonly to: string[]; readonly source: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _, callback) => {
      const status = typeof refuse === 'object' ? refuse[address] : refuse
      callback(
        status === undefined ? null : Object.assign(new Error('no'), { responseCode: status }),
      )
    },
    onData: (stream, session, callback) => {
      void textOf(stream).then((source) => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const { port, close } = await onLoopback(server.server)
  onTestFinished(close)
  return { mails, port }
}

function mailerTo(url: string, clock = createManualClock(0)): Webhook {
  const mailer = createMailer({
    url: { reveal: () => url },
    from: 'sightline@example.com',
    to: ['team@example.com', 'lead@example.com'],
    clock,
    domain: 'sightline.example',
  })
  onTestFinished(() => mailer.close())
  return mailer
}

test('a failure and its recovery are mailed to all, as one thread', async () => {
  const { mails, port } = await mailServer()
  const mailer = mailerTo(`smtp://127.0.0.1:${port}`)
  const recovered = { ...failing, kind: 'recovered' as const, text: 'checkout has recovered.' }
  expect(await mailer.send([stored(failing)])).toEqual({ kind: 'sent' })
  expect(await mailer.send([stored(recovered)])).toEqual({ kind: 'sent' })
  const [first, second] = mails
  expect(first?.to).toEqual(['team@example.com', 'lead@example.com'])
  expect(first?.source).toMatch(/^Message-ID: <abc@sightline\.example>\r$/im)
  expect(first?.source).toMatch(/^Auto-Submitted: auto-generated\r$/im)
  expect(first?.source).toMatch(/^Subject: \[Sightline\] checkout is failing/im)
  expect(first?.source).toContain('https://builds.example/s/b')
  expect(second?.source).toMatch(/^In-Reply-To: <abc@sightline\.example>\r$/im)
  expect(second?.source).toMatch(/^References: <abc@sightline\.example>\r$/im)
})

test('a name that looks like an encoded word is read as it is', async () => {
  const { mails, port } = await mailServer()
  const named = { ...failing, title: '=?utf-8?B?SGk=?= core' }
  await mailerTo(`smtp://127.0.0.1:${port}`).send([stored(named)])
  expect(mails[0]?.source).toMatch(
    /^Subject: \[Sightline\] = \?utf-8\?B\?SGk= \?= core is failing\r$/m,
  )
})

test('a person signs in with what the address has, and a wrong password says neither', async () => {
  const { mails, port } = await mailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, callback) => {
      if (username === 'robot' && password === 'p@ss:word') callback(null, { user: username })
      else callback(Object.assign(new Error('bad credentials of robot'), { responseCode: 535 }))
    },
  })
  const right = mailerTo(`smtp://robot:${encodeURIComponent('p@ss:word')}@127.0.0.1:${port}`)
  expect(await right.send([stored(failing)])).toEqual({ kind: 'sent' })
  const wrong = mailerTo(`smtp://robot:secret-canary@127.0.0.1:${port}`)
  expect(await wrong.send([stored(failing)])).toEqual({
    kind: 'later',
    reason: `The mail server refused the sign-in (535). Check the user and password in SIGHTLINE_SMTP_URL.`,
  })
  expect(mails).toHaveLength(1)
})

const checkOf = (kind: 'never' | 'later'): string =>
  kind === 'never' ? " Check the route's email in the configuration file." : ''

test.each([
  [550, 'never'],
  [450, 'later'],
] as const)('a recipient refused with %i is tried %s', async (status, kind) => {
  const { port } = await mailServer({}, status)
  expect(await mailerTo(`smtp://127.0.0.1:${port}`).send([stored(failing)])).toEqual({
    kind,
    reason: `The mail server refused team@example.com (${status}), lead@example.com (${status}): “no”.${checkOf(kind)}`,
  })
})

test('two people who are refused, one of them for now, are tried again', async () => {
  const { port } = await mailServer({}, { 'team@example.com': 450, 'lead@example.com': 550 })
  expect(await mailerTo(`smtp://127.0.0.1:${port}`).send([stored(failing)])).toEqual({
    kind: 'later',
    reason: 'The mail server refused team@example.com (450), lead@example.com (550): “no”.',
  })
})

test('a sender that is refused is said with the setting that names it', async () => {
  const { port } = await mailServer({
    onMailFrom: (_, __, callback) => {
      callback(Object.assign(new Error('no such sender'), { responseCode: 550 }))
    },
  })
  expect(await mailerTo(`smtp://127.0.0.1:${port}`).send([stored(failing)])).toEqual({
    kind: 'never',
    reason:
      'The mail server refused the sender (550): “no such sender”. Check emailFrom in the configuration file.',
  })
})

test.each([
  [550, 'never'],
  [450, 'later'],
] as const)('of two people, one refused with %i is tried %s, alone', async (status, kind) => {
  const refused: Record<string, number> = { 'lead@example.com': status }
  const { mails, port } = await mailServer({}, refused)
  const mailer = mailerTo(`smtp://127.0.0.1:${port}`)
  expect(await mailer.send([stored(failing)])).toEqual({
    kind,
    reason: `The mail server refused lead@example.com (${status}): “no”. All others got the message.${checkOf(kind)}`,
    leftTo: 'lead@example.com',
  })
  delete refused['lead@example.com']
  const again = { ...stored(failing), leftTo: 'lead@example.com' }
  expect(await mailer.send([again])).toEqual({ kind: 'sent' })
  expect(mails.map(({ to }) => to)).toEqual([['team@example.com'], ['lead@example.com']])
})

test('a server that is not there is tried again, and said without its address', async () => {
  const mailer = mailerTo('smtp://127.0.0.1:9')
  const reason =
    "The mail server refused the connection. Check that it's running and that SIGHTLINE_SMTP_URL is right."
  expect(await mailer.send([stored(failing)])).toEqual({ kind: 'later', reason })
  expect(mailer.last()).toEqual({ kind: 'later', reason, at: 0 })
})

test('what is sent again has the same message id, so that a mailbox shows it once', async () => {
  const { mails, port } = await mailServer()
  const mailer = mailerTo(`smtp://127.0.0.1:${port}`)
  const recovered = { ...stored({ ...failing, kind: 'recovered' }), id: 'own' }
  for (const messages of [[recovered], [recovered], [recovered, { ...recovered, id: 'b' }]]) {
    expect(await mailer.send(messages)).toEqual({ kind: 'sent' })
  }
  const ids = mails.map(({ source }) => /^Message-ID: (.*)\r$/im.exec(source)?.[1])
  expect(ids.slice(0, 2)).toEqual(['<own@sightline.example>', '<own@sightline.example>'])
  expect(ids[2]).toMatch(/^<[0-9a-f]{32}@sightline\.example>$/)
})

test('a server that takes its time to confirm is waited for, and for two minutes at most', async () => {
  const taken: (() => void)[] = []
  const { port } = await mailServer({
    onData: (stream, _, callback) => {
      stream.resume().on('end', () => {
        taken.push(callback)
      })
    },
  })
  const clock = createManualClock(0)
  const mailer = mailerTo(`smtp://127.0.0.1:${port}`, clock)
  const first = mailer.send([stored(failing)])
  await expect.poll(() => taken.length).toBe(1)
  clock.advance(119_999)
  taken[0]?.()
  expect(await first).toEqual({ kind: 'sent' })
  const second = mailer.send([stored(failing)])
  await expect.poll(() => taken.length).toBe(2)
  clock.advance(120_000)
  const reason = "The mail server didn't confirm the message in time."
  expect(await second).toEqual({ kind: 'later', reason })
  const closing = new AbortController()
  const last = mailer.send([stored(failing)], closing.signal)
  await expect.poll(() => taken.length).toBe(3)
  closing.abort()
  clock.advance(10_000)
  expect(await last).toMatchObject({ kind: 'later' })
})

const signInRefused = (status: number): string =>
  `The mail server refused the sign-in (${status}). Check the user and password in SIGHTLINE_SMTP_URL.`
const closed = 'The mail server closed the connection before it confirmed the message.'

const notAfterStartTls =
  "What followed STARTTLS wasn't TLS, so nothing was sent: something between Sightline and the mail server may have responded in its place. Check SIGHTLINE_SMTP_URL and the network, or use smtps://."

test.each([
  [['554 no service here'], 'The mail server refused the connection (554): “no service here”.'],
  [
    ['220 lab', '250-lab\r\n250 AUTH PLAIN', '454 4.7.0 robot, try later'],
    "The mail server can't check the sign-in for now (454).",
  ],
  [['220 lab', '250-lab\r\n250 AUTH PLAIN', '534 robot, change your password'], signInRefused(534)],
  [['220 lab', '250 lab', '530 5.7.0 Authentication required'], signInRefused(530)],
  [
    [
      '220 lab',
      '250 lab',
      '250 ok',
      '250 ok',
      '250 ok',
      '354 go',
      '451-4.7.1 Busy.\r\n451 4.7.1 See /77',
    ],
    'The mail server refused the message (451): “4.7.1 Busy. See /77”.',
  ],
  [['220 lab', '250 lab'], closed],
  [['220 lab', '250-lab\r\n250 STARTTLS', '220 go', '250 lab'], notAfterStartTls],
  [['220 lab', '250 lab', '250 ok', '250 ok', '250 ok', '354 go'], closed],
] as const)('a server that says %j and then leaves is tried again', async (lines, reason) => {
  const server = createServer((socket) => {
    const left = [...lines]
    const next = (): void => {
      const line = left.shift()
      if (line === undefined) socket.destroy()
      else socket.write(`${line}\r\n`)
    }
    socket.on('error', () => undefined).on('data', next)
    next()
  })
  const { port, close } = await onLoopback(server)
  onTestFinished(close)
  expect(await mailerTo(`smtp://robot:canary@127.0.0.1:${port}`).send([stored(failing)])).toEqual({
    kind: 'later',
    reason,
  })
})

test('a message that is refused says what the server said, cut, and without who signed in with what', async () => {
  const said: string[] = ['5.7.1 Blocked as spam.']
  const { port } = await mailServer({
    onAuth: ({ username }, _, callback) => {
      callback(null, { user: username })
    },
    allowInsecureAuth: true,
    onData: (stream, _, callback) => {
      stream.resume().on('end', () => {
        callback(Object.assign(new Error(said[0]), { responseCode: 554 }))
      })
    },
  })
  const mailer = mailerTo(`smtp://robot:s%23cret-canary@127.0.0.1:${port}`)
  const reasonOf = async () => {
    const delivery = await mailer.send([stored(failing)])
    expect(delivery.kind).toBe('never')
    return 'reason' in delivery ? delivery.reason : ''
  }
  expect(await reasonOf()).toBe(
    'The mail server refused the message (554): “5.7.1 Blocked as spam”. Ask its administrator.',
  )
  const basic = Buffer.from('s#cret-canary').toString('base64')
  said[0] = `robot at 127.0.0.1 with s#cret-canary ${basic} token=hunter22\nis\tblocked ${'x'.repeat(3000)}`
  const reason = await reasonOf()
  expect(reason).toContain('“… at … with … … token=[secret] is blocked xxx')
  expect(reason).not.toMatch(/canary|robot|127|hunter/)
  expect(reason.length).toBeLessThan(260)
})

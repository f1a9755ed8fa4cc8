import type { Transporter } from 'nodemailer'
import type { Clock } from '../../../protocol/clock.ts'
import { base64Forms, withoutCredentials } from '../../../protocol/credential-shapes.ts'
import { isLoopback } from '../../../protocol/loopback.ts'
import { connectionText } from '../upstream/undici-upstream-client.ts'
import { alertMail, singleLine } from './alert-message.ts'
import { type Delivery, patienceMs, type Webhook } from './webhook.ts'

/** So long an attempt may take, ms: the server may be slow on purpose, and who gives up early sends twice (RFC 5321, 4.5.3.2). */
const longestMs = 120_000

/**
 * Mails people through one server, as plain text. A failure and its recovery are one thread
 * (RFC 5322 section 3.6.4); what is sent again has the same message id. What some recipients were refused is tried again for them alone. `smtp:` takes STARTTLS, except on this machine. Nothing that fails says the
 * address of the server or who sends.
 */
export function createMailer(options: {
  /** `smtps://user:password@host:465` or `smtp://…`. */
  readonly url: { readonly reveal: () => string }
  readonly from: string
  readonly to: readonly string[]
  readonly clock: Clock
  /** Part of message ids, as all proxies on one database know it: the host people open. */
  readonly domain: string
}): Webhook {
  const { from, to, clock, domain } = options
  let transporter: Transporter<Sent> | undefined
  let last: ReturnType<Webhook['last']>

  async function connected(): Promise<Transporter<Sent>> {
    // Only where somebody is mailed.
    const { createTransport } = await import('nodemailer')
    const { protocol, hostname, port, username, password } = new URL(options.url.reveal())
    const isSecure = protocol === 'smtps:'
    transporter ??= createTransport({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 465 : 587) : Number(port),
      secure: isSecure,
      requireTLS: !isSecure && !isLoopback(hostname),
      ...(username === ''
        ? {}
        : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      // Servers that wait before they greet, and scan a message before they confirm it, are slow on purpose. The first bounds the
      // second.
      connectionTimeout: longestMs / 4,
      greetingTimeout: longestMs / 4,
      socketTimeout: longestMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return transporter
  }

  const saidIn: SaidIn = (response = '') => {
    const { hostname, username, password } = new URL(options.url.reveal())
    const secrets = [password, username, hostname]
      .flatMap((part) => [part, decodeURIComponent(part)])
      .filter(({ length }) => length > 2)
      .flatMap((part) => [part, ...base64Forms(part)])
    const said = secrets.reduce(
      (text, secret) => text.replaceAll(secret, '…'),
      // Each line has the status, and its other number (RFC 3463) as well.
      response
        .slice(0, 10 * longestSaid)
        .replaceAll(/^\d{3}[ -]?/gm, '')
        .replaceAll(/\n\d\.\d{1,3}\.\d{1,3} /g, ' '),
    )
    const line = singleLine(withoutCredentials(said), longestSaid)
    return line === '' ? '.' : `: “${line.replace(/\.$/, '')}”.`
  }

  const attempt: Webhook['send'] = async (messages, closing) => {
    const { subject, text, thread, id } = alertMail(messages)
    const left = messages[0]?.leftTo?.split('\n') ?? [...to]
    const patience = new AbortController()
    const within = (ms: number) =>
      clock.after(ms, () => {
        patience.abort()
      })
    const cancels = [within(longestMs)]
    const hurry = (): void => {
      cancels.push(within(patienceMs))
    }
    closing?.addEventListener('abort', hurry)
    if (closing?.aborted === true) hurry()
    const [messageId, first] = [id, thread].map((part) => `<${part}@${domain}>`)
    try {
      const transport = await connected()
      const { rejectedErrors } = await transport.sendMail({
        from,
        to: [...to],
        envelope: { from, to: left },
        // What looks like an encoded word would be decoded (RFC 2047, 2).
        subject: subject.replaceAll('=?', '= ?'),
        text,
        headers: { 'auto-submitted': 'auto-generated' },
        signal: patience.signal,
        ...(id !== '' && { messageId }),
        ...(thread !== '' && thread !== id && { inReplyTo: first, references: first }),
      })
      return refusalOf(rejectedErrors, saidIn) ?? { kind: 'sent' }
    } catch (error) {
      return deliveryOf(error, options.url.reveal().startsWith('smtps:'), saidIn)
    } finally {
      closing?.removeEventListener('abort', hurry)
      for (const cancel of cancels) cancel()
    }
  }
  return {
    send: async (messages, closing) => {
      const delivery = await attempt(messages, closing)
      last = { ...delivery, at: clock.now() }
      return delivery
    },
    longestMs,
    last: () => last,
    close: () => {
      transporter?.close()
      return Promise.resolve()
    },
  }
}

/** What a mail that somebody got has caused. */
interface Sent {
  readonly rejectedErrors?:
    | readonly {
        readonly recipient?: string | undefined
        readonly responseCode?: number | undefined
        readonly response?: string | undefined
      }[]
    | undefined
}

/** The end of a sentence: what a server's response says besides its status, without who signed in, with what and where, and cut. */
type SaidIn = (response?: string) => string

/** Whether an error is that of a message that all recipients were refused. */
function saysWhom(error: unknown): error is Sent {
  return error instanceof Error && 'rejectedErrors' in error && Array.isArray(error.rejectedErrors)
}

/** Of recipients that were refused, while others got the message unless `areAll`; undefined where there are none. Final where it is for each. */
function refusalOf(
  errors: Sent['rejectedErrors'] = [],
  saidIn: SaidIn,
  areAll = false,
): Delivery | undefined {
  const refused = errors.flatMap(({ recipient, responseCode = 0, response }) =>
    recipient === undefined ? [] : [{ recipient, responseCode, response }],
  )
  if (refused.length === 0) return undefined
  const names = refused.map(({ recipient, responseCode }) => `${recipient} (${responseCode})`)
  const kind = refused.every(({ responseCode }) => isFinal(responseCode)) ? 'never' : 'later'
  return {
    kind,
    // Of several the first: they mostly say the same.
    reason: `The mail server refused ${names.join(', ')}${saidIn(refused[0]?.response)}${areAll ? '' : ' All others got the message.'}${kind === 'never' ? " Check the route's email in the configuration file." : ''}`,
    ...(!areAll && { leftTo: refused.map(({ recipient }) => recipient).join('\n') }),
  }
}

/**
 * What the server said of a sign-in is not repeated: it may name accounts. Only what it says of the message itself is final: its
 * sign-in and its TLS may be right by the next try. `isTlsFromStart`: by the address.
 */
function deliveryOf(error: unknown, isTlsFromStart: boolean, saidIn: SaidIn): Delivery {
  const text = (name: string): string =>
    error instanceof Error ? String(Reflect.get(error, name) ?? '') : ''
  const status = text('responseCode')
  const code = text('code')
  if (status === '') {
    const cause = text('originalCode') || text('timeoutType')
    const reason =
      unansweredTexts[cause] ??
      connectionText(cause, 'mail server', setting) ??
      unansweredTexts[code] ??
      "Can't reach the mail server."
    return {
      kind: 'later',
      reason: reason === noTls && !isTlsFromStart ? notAfterStartTls : reason,
    }
  }
  const said = `(${status})${saidIn(text('response'))}`
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isOfMessage && status !== '530') {
    const refusal = saysWhom(error) ? refusalOf(error.rejectedErrors, saidIn, true) : undefined
    if (refusal !== undefined) return refusal
    const reason =
      text('command') === 'MAIL FROM'
        ? `The mail server refused the sender ${said} Check emailFrom in the configuration file.`
        : `The mail server refused the message ${said}${isFinal(Number(status)) ? ' Ask its administrator.' : ''}`
    return { kind: isFinal(Number(status)) ? 'never' : 'later', reason }
  }
  const refusal = refusalTexts[status === '530' ? 'EAUTH' : code]
  return {
    kind: 'later',
    reason: refusal?.(status) ?? `The mail server refused the connection ${said}`,
  }
}

/** Of what a mail server says, characters. */
const longestSaid = 160
const setting = 'SIGHTLINE_SMTP_URL'
const closed = 'The mail server closed the connection before it confirmed the message.'
const late = "The mail server didn't confirm the message in time."
const silent = `The mail server didn't greet. If its port expects TLS from the start, use smtps:// in ${setting}.`
const noTls = `The mail server doesn't speak TLS from the start on this port. Use smtp:// in ${setting} for STARTTLS.`
const notAfterStartTls = `What followed STARTTLS wasn't TLS, so nothing was sent: something between Sightline and the mail server may have responded in its place. Check ${setting} and the network, or use smtps://.`

/** By the codes of Node's sockets, of OpenSSL and of nodemailer: without a response, the server may have the message. */
const unansweredTexts: Readonly<Record<string, string>> = {
  ECONNRESET: closed,
  EPIPE: closed,
  ECONNECTION: closed,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  CONNECT_TIMEOUT: connectionText('ETIMEDOUT', 'mail server', setting) ?? late,
  GREETING_TIMEOUT: silent,
  ETIMEDOUT: late,
  EABORT: late,
}

/** By nodemailer's codes, with the status of the response. */
const refusalTexts: Readonly<Record<string, (status: string) => string>> = {
  EAUTH: (status) =>
    isFinal(Number(status))
      ? `The mail server refused the sign-in (${status}). Check the user and password in ${setting}.`
      : `The mail server can't check the sign-in for now (${status}).`,
  ETLS: (status) =>
    `The mail server refused STARTTLS (${status}), without which no mail is sent. Use smtps:// in ${setting} if it has a port for that.`,
}

function isFinal(status: number): boolean {
  return status >= 500
}

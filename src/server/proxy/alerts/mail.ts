import type { Transporter } from 'nodemailer'
import type { Clock } from '../../../protocol/clock.ts'
import { isLoopback } from '../../../protocol/loopback.ts'
import { alertMail } from './alert-message.ts'
import { type Delivery, patienceMs, type Webhook } from './webhook.ts'

/**
 * Mails people through one server, as plain text. A failure and its recovery are one thread
 * (RFC 5322 section 3.6.4). What some recipients were refused is tried again for them alone. `smtp:` takes STARTTLS, except on this machine. Nothing that fails says the
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
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return transporter
  }

  const attempt: Webhook['send'] = async (messages) => {
    const { subject, text, thread, isFirst } = alertMail(messages)
    const left = messages[0]?.leftTo?.split('\n') ?? [...to]
    const id = `<${thread}@${domain}>`
    try {
      const transport = await connected()
      const { rejectedErrors } = await transport.sendMail({
        from,
        to: [...to],
        envelope: { from, to: left },
        subject,
        text,
        headers: { 'auto-submitted': 'auto-generated' },
        ...(thread === '' ? {} : isFirst ? { messageId: id } : { inReplyTo: id, references: [id] }),
      })
      return refusalOf(rejectedErrors) ?? { kind: 'sent' }
    } catch (error) {
      return deliveryOf(error)
    }
  }
  return {
    send: async (messages) => {
      const delivery = await attempt(messages)
      last = { ...delivery, at: clock.now() }
      return delivery
    },
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
      }[]
    | undefined
}

/** Of recipients that were refused while others got the message; undefined where there are none. */
function refusalOf(errors: Sent['rejectedErrors'] = []): Delivery | undefined {
  const refused = errors.flatMap(({ recipient, responseCode = 0 }) =>
    recipient === undefined ? [] : [{ recipient, responseCode }],
  )
  if (refused.length === 0) return undefined
  const names = refused.map(({ recipient, responseCode }) => `${recipient} (${responseCode})`)
  return {
    kind: refused.every(({ responseCode }) => isFinal(responseCode)) ? 'never' : 'later',
    reason: `The mail server refused ${names.join(', ')}. All others got the message.`,
    leftTo: refused.map(({ recipient }) => recipient).join('\n'),
  }
}

/** What the server said is not repeated: it may name accounts. */
function deliveryOf(error: unknown): Delivery {
  const status =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined
  if (status === undefined) return { kind: 'later', reason: "Can't reach the mail server." }
  const reason = `The mail server responded with ${status}.`
  return { kind: isFinal(status) ? 'never' : 'later', reason }
}

/** A password that is wrong today may be right tomorrow; a mailbox that doesn't exist won't. */
function isFinal(status: number): boolean {
  return status >= 500 && status !== 535
}

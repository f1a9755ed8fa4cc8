import { ProblemError } from '../../../protocol/problem.ts'

/** A failure in words for its reader: what `ProblemPanel` shows. */
export interface ProblemWords {
  /** What happened: one sentence. */
  readonly title: string
  /** What it means for the reader, and the next step. */
  readonly meaning: string
  /** Status, type and text, for support. */
  readonly detail: string
}

export interface Requested {
  /** A verb, such as "evaluate" or "show". */
  readonly action: string
  /** Its object, such as "build k3j7aaaaa7a4c" or "this package". */
  readonly noun: string
  /** As people name it, such as "policy service" or "build server". */
  readonly server: string
}

/** Words of one kind of failure that differ from the usual ones. */
export type OwnWords = Partial<Pick<ProblemWords, 'title' | 'meaning'>>

/** What to do about a credential that a server rejects. */
export const renewCredentials =
  'They may have expired or been revoked. Your administrator must renew them.'
/** What to do about a package that Sightline's user may not use. */
export const checkRepository =
  'Check the repository for typos first, or ask an administrator of the policy service for the permission.'
/** What to do about a policy service that stays too busy. */
export const raiseLimits =
  'If this persists, the administrator of the policy service can raise its limits.'

/** Where there is neither a list of builds nor the stream that they are read from without one (404). */
export const noBuildList = {
  title: "This build server can't list builds.",
  meaning:
    "It has neither /api/builds nor an export stream, or Sightline's user lacks the permissions “Access build data via the API” and “Export API”. Ask an administrator of the build server.",
}

/**
 * Why a request failed, in words for its reader: what happened, what it means, and who can do what
 * next. `own` replaces words of single kinds where a page has more to say:
 *
 * ```ts
 * problemWords(fault, { action: 'show', noun: 'this attestation', server: 'policy service' }, {
 *   'not-found': { meaning: 'Check the address, or publish the attestations again.' },
 * })
 * ```
 *
 * An error that is no fault of the world is a fault of this program.
 */
export function problemWords(
  fault: Error,
  requested: Requested,
  own: Partial<Record<RefusalKind, OwnWords>> = {},
): ProblemWords {
  if (!(fault instanceof ProblemError)) {
    return {
      title: `Can't ${requested.action} ${requested.noun}.`,
      meaning:
        'Something in Sightline failed. Reload the page. If it keeps failing, send the details below to your administrator.',
      detail: fault.stack ?? fault.message,
    }
  }
  const kind = refusalKind(fault)
  return { ...usualWords(kind, fault, requested), ...own[kind], detail: problemDetail(fault) }
}

function usualWords(
  kind: RefusalKind,
  fault: ProblemError,
  { action, noun, server }: Requested,
): Required<OwnWords> {
  switch (kind) {
    case 'credential':
      return {
        title: `The ${server} rejects Sightline's credentials.`,
        meaning: renewCredentials,
      }
    case 'signed-out':
      return {
        // It still stands there after a sign-in above the page.
        title: 'You were signed out of Sightline.',
        meaning: 'Your session ended. Sign in and try again.',
      }
    case 'forbidden':
      return {
        title: `Sightline isn't allowed to ${action} ${noun}.`,
        meaning: `Sightline's user lacks a permission. An administrator of the ${server} can grant it.`,
      }
    case 'no-service':
      return { title: `No ${server} is configured.`, meaning: fault.message }
    case 'not-found':
      return {
        title: `Can't find ${noun}.`,
        meaning: `It doesn't exist on the ${server}, or Sightline's user can't see it. Check the name, or ask an administrator of the ${server}.`,
      }
    case 'mistaken':
      return {
        title: `The ${server} rejected the request.`,
        meaning: `${fault.sentence} Correct it and try again.`,
      }
    case 'busy':
      return {
        title: `The ${server} is too busy to ${action} ${noun}.`,
        meaning: `Try again in ${waitText(fault)}.`,
      }
    case 'unheard':
      return {
        title: "Can't reach Sightline.",
        meaning: `${fault.sentence} Try again when the connection is back.`,
      }
    case 'own':
      return { title: `Can't ${action} ${noun}.`, meaning: fault.message }
    case 'failed':
      return {
        title: `Can't ${action} ${noun} right now.`,
        meaning: `${
          server === ownServer && fault.problem.type.endsWith(':unreadable-answer')
            ? `${fault.sentence} Sightline may have been updated since this page was opened: reload it.`
            : retrySentence(fault)
        } If it keeps failing, send the details below to your administrator.`,
      }
  }
}

/** What pages call it by. */
const ownServer = 'Sightline server'

/** What happened, with "Try again." behind it unless it says so itself, as sentences of servers may. */
export function retrySentence({ sentence }: ProblemError): string {
  return /\btry(?: it)? again\b/i.test(sentence) ? sentence : `${sentence} Try again.`
}

/** Why a change was not saved, or may not have been: a plain sentence, and where (`at`) to see that. */
export function changeRefusal(error: Error, at: string): string {
  if (!(error instanceof ProblemError)) return `Request failed: ${error.message}`
  const { status, message, sentence } = error
  // The proxy names the field, the role that it takes, or what somebody else has done; of who was signed out nothing is changed (`useAct`).
  return status >= 400 && status < 500 && status !== 408
    ? message
    : `${sentence} The change may not have been saved. Check the ${at}, then try again.`
}

/** Why a server did not do what was requested, by who can do something about it. */
export type RefusalKind =
  /** The server does not accept the credential that the proxy has for it. */
  | 'credential'
  /** The session with the proxy has ended. */
  | 'signed-out'
  /** The server knows the user that the proxy works as, who lacks a permission. */
  | 'forbidden'
  /** The proxy has no such server. */
  | 'no-service'
  | 'not-found'
  /** Something in the request is wrong; the sentence names the field (docs/services.md#policy-service-problems). */
  | 'mistaken'
  | 'busy'
  /** No response was received: this device is offline, or the proxy is not there. */
  | 'unheard'
  /** Sightline itself: a role lacks the permission, its database fails, or it gets too many requests. The problem says what to do. */
  | 'own'
  | 'failed'

/** The kind of a failed request. */
export function refusalKind(fault: ProblemError): RefusalKind {
  const { status, problem } = fault
  const refused = problem.upstreamStatus
  if (refused === 401 || (status === 401 && !isOfSightline(problem.type))) return 'credential'
  if (status === 401) return 'signed-out'
  if (refused === undefined && status === 403 && isOfSightline(problem.type)) return 'own'
  if (refused === 403 || status === 403) return 'forbidden'
  // Nobody asked the service: it says nothing about whether there is such a thing.
  if (problem.type.endsWith(':not-forwarded')) return 'mistaken'
  const isAbsent = /:no-(?:governor|build-server)$/.test(problem.type)
  if (status === 404) return isAbsent ? 'no-service' : 'not-found'
  if (status === 400) return 'mistaken'
  if (isOfSightline(problem.type) && own.test(problem.type)) return 'own'
  if (status === 429) return 'busy'
  const isUnheard = problem.type.endsWith(':offline') || problem.type.endsWith(':unreachable')
  return isUnheard ? 'unheard' : 'failed'
}

/** What is the matter with Sightline, whatever the servers behind it have to do. */
const own = /:(?:database-unusable|(?:insight-)?busy|too-many-requests|too-often)$/

/** Problems of this project's own making have its URN; a service has its own, or none. */
function isOfSightline(type: string): boolean {
  return type.startsWith('urn:sightline:')
}

/** A failure as support wants it: what is folded away as the technical detail. */
export function problemDetail({ status, problem, message }: ProblemError): string {
  return `${status} ${problem.title} (${problem.type})\n${message}`
}

/** How long to wait before trying again: "7 s", "15 min", or "a minute" where the server did not say. */
export function waitText({ retryAfterMs = 0 }: ProblemError): string {
  const seconds = Math.ceil(retryAfterMs / 1000)
  if (seconds === 0) return 'a minute'
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

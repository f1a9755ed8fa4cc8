import { problem, ProblemError } from '../../protocol/problem.ts'

/**
 * The request headers that an upstream gets to see, by an allow-list: nothing else of a browser's
 * request is sent on, whatever it is called. The upstream is asked for gzip or nothing, as both can
 * be passed on without being understood. Throws a ProblemError: 400 for a Last-Event-ID that no
 * upstream can have given, 415 for a body of another type than the services take.
 */
export function forwardedHeaders(headers: Headers, hasBody: boolean): Record<string, string> {
  const sent: Record<string, string> = {
    accept: printable(headers.get('accept')) ?? '*/*',
    'accept-encoding': /\bgzip\b/i.test(headers.get('accept-encoding') ?? '') ? 'gzip' : 'identity',
  }
  const ifNoneMatch = printable(headers.get('if-none-match'))
  if (ifNoneMatch !== null) sent['if-none-match'] = ifNoneMatch
  const lastEventId = headers.get('last-event-id')
  if (lastEventId !== null) sent['last-event-id'] = checkedEventId(lastEventId)
  if (hasBody) sent['content-type'] = checkedBodyType(headers.get('content-type'))
  return sent
}

/**
 * A build id, or the number of an event in a build's own stream
 * (docs/services.md#export-event-message).
 */
function checkedEventId(id: string): string {
  if (/^(?:[a-z0-9]{13}|\d{1,19})$/.test(id)) return id
  throw new ProblemError(
    problem(
      400,
      'bad-event-id',
      'Bad Last-Event-ID',
      'The Last-Event-ID is neither a build id (13 lower-case letters or digits) nor a number.',
    ),
  )
}

function checkedBodyType(type: string | null): string {
  const taken =
    /^(?:application\/json|application\/x-www-form-urlencoded|multipart\/form-data)(?:;[\x20-\x7e]{1,200})?$/i
  if (type !== null && taken.test(type)) return type
  throw new ProblemError(
    problem(
      415,
      'unsupported-body',
      'Unsupported media type',
      'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
    ),
  )
}

function printable(value: string | null): string | null {
  return value !== null && /^[\x20-\x7e]{1,512}$/.test(value) ? value : null
}

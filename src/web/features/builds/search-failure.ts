import type { ProblemError } from '../../../protocol/problem.ts'
import { problemDetail } from '../../data/core/problem-words.ts'
import type { ProblemText } from '../../ui/problem.tsx'

/** Why no more builds can be shown: what it means for the reader, and the next step. */
export function searchFailure(fault: ProblemError): ProblemText {
  const { status, problem } = fault
  const detail = problemDetail(fault)
  if (problem.type.endsWith(':upstream-auth')) {
    const isForbidden = problem.upstreamStatus === 403
    return {
      title: isForbidden
        ? 'The proxy may not list builds.'
        : 'The build server refuses the credential of the proxy.',
      meaning: isForbidden
        ? 'The user that the proxy works as lacks the permission “Access build data via the API”. Ask whoever administers the build server for it.'
        : fault.message,
      detail,
    }
  }
  switch (status) {
    case 401:
      return { title: 'You are signed out.', meaning: fault.message, detail }
    case 403:
      return {
        title: 'You may not list builds.',
        meaning: `${fault.message} The permission for it is called “Access build data via the API”.`,
        detail,
      }
    case 404:
      return {
        title: 'This build server has no list of builds.',
        meaning:
          'It does not answer /api/builds, or hides it from the user that the proxy works as, who may lack the permission “Access build data via the API”. The live feed works without it.',
        detail,
      }
    case 429:
    case 503:
      return {
        title: 'The build server is too busy.',
        meaning: `${fault.message} It was asked several times, with pauses. Nothing is lost by trying again later.`,
        detail,
      }
    case 504:
      return {
        title: 'The build server is too slow for this search.',
        meaning:
          'Even one build at a time takes it too long. Narrow the query, above all its time: buildStartTime>-1d.',
        detail,
      }
    default:
      return {
        title: 'The builds cannot be read at the moment.',
        meaning: `${fault.message} Nothing is lost by trying again.`,
        detail,
      }
  }
}

import type { ProblemError } from '../../../protocol/problem.ts'
import { problemDetail } from '../../data/core/problem-words.ts'
import type { ProblemText } from '../../ui/problem.tsx'

/** Why nothing of a build can be shown: what it means for the reader, and the next step. */
export function refusalText(buildId: string, fault: ProblemError): ProblemText {
  const { status, problem } = fault
  const detail = problemDetail(fault)
  if (status === 404) {
    return {
      title: `Build ${buildId} cannot be shown.`,
      meaning:
        'There is no build with this id, it was deleted, or the user that the proxy works as lacks the permission to see it: a server gives the same answer to all of these. Check the id; if it is right, ask whoever administers the build server.',
      detail,
    }
  }
  if (problem.type.endsWith(':version-1-only')) {
    return {
      title: `The events of build ${buildId} cannot be had.`,
      meaning: `${fault.message} A newer server has them.`,
      detail,
    }
  }
  if (problem.type.endsWith(':upstream-auth')) {
    return {
      title: 'The build server refuses the proxy.',
      meaning: `${fault.message} To read the events of builds it needs the permission “Export API”.`,
      detail,
    }
  }
  return {
    title: `Build ${buildId} cannot be shown at the moment.`,
    meaning: `${fault.message} Nothing is lost by trying again.`,
    detail,
  }
}

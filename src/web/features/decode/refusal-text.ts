import type { ProblemError } from '../../../protocol/problem.ts'
import { problemDetail } from '../../ui/problem-detail.ts'
import type { ProblemText } from '../../ui/problem-panel.tsx'

/** Why a stored attestation cannot be shown: what it means for the reader, and the next step. */
export function refusalText(fault: ProblemError): ProblemText {
  const { status } = fault
  const detail = problemDetail(fault)
  switch (status) {
    case 400:
      return {
        title: 'The service does not understand this address.',
        meaning:
          'The digest is malformed, or the store is not written as <type>:<name>, such as s3:release. Copy the attestationUri again, whole, from where it came from.',
        detail,
      }
    case 403:
      return {
        title: 'You may not read this attestation.',
        meaning:
          'The user that the proxy works as lacks the permission to read this package or its repository. Ask whoever administers the repository for it.',
        detail,
      }
    case 404:
      return {
        title: 'There is no such attestation.',
        meaning:
          'Its id does not exist, or the store that the address names is not configured at the service: it answers both alike. Check the address; if it is right, publish the attestations of the package again.',
        detail,
      }
    case 401:
      return {
        title: 'The service refuses the proxy.',
        meaning: `${fault.message} Whoever runs the proxy has to check its credentials for the service.`,
        detail,
      }
    default:
      return {
        title: 'The attestation cannot be shown at the moment.',
        meaning: `${fault.message} Nothing is lost by trying again.`,
        detail,
      }
  }
}

import { ProblemError } from '../../../protocol/problem.ts'

/** Why a waiver was not given or ended: a plain sentence, and what to do about it. */
export function waiverRefusal(error: Error): string {
  if (!(error instanceof ProblemError)) return `It failed: ${error.message}`
  const { status, message } = error
  if (status === 401) {
    return 'Your session has ended. Load the page again to sign in, and copy the reason before that.'
  }
  if (status === 404) {
    return 'There is no such waiver any more, or this Sightline keeps none. What is shown is read anew.'
  }
  if (status === 409) return `${message} What is shown is read anew.`
  // The proxy names the field, or the role that it takes.
  if (status === 400 || status === 403) return message
  return `${message} Nothing was changed as far as is known here: look at the list, then try again.`
}

import { publishPath } from '../../../protocol/package-address.ts'
import { publishBody } from '../../data/publish/publish-request.ts'
import type { PublishQuestion } from '../../data/publish/publish-run.ts'

/**
 * The same request for a shell, asked of the service itself: where the service is and what proves who
 * asks are variables, so that nothing secret is shown or copied.
 */
export function curlCommand(question: PublishQuestion): string {
  const lines = [
    'curl --fail-with-body --no-buffer --request POST',
    `"$GOVERNOR_URL"${quoted(publishPath(question.address))}`,
    '--header "Authorization: Bearer $GOVERNOR_TOKEN"',
    "--header 'Accept: application/x-ndjson'",
    "--header 'Content-Type: application/json'",
    `--data ${quoted(JSON.stringify(publishBody(question), null, 2))}`,
  ]
  return lines.join(' \\\n  ')
}

/** Between single quotes a shell reads nothing but the end of them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

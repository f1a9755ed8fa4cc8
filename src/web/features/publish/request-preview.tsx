import type { ReactElement } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { curlCommand } from './curl-command.ts'
import type { DraftReading } from './read-draft.ts'
import css from './request-preview.module.css'

/** The request as a shell would send it; shown as soon as it can be put together. */
export function RequestPreview({ reading }: { reading: DraftReading }): ReactElement {
  const command = reading.ok ? curlCommand(reading.question) : undefined
  return (
    <details className={css.preview}>
      <summary>The request as curl</summary>
      {command === undefined ? (
        <p className={css.dim}>It is shown once everything above can be read.</p>
      ) : (
        <>
          <p className={css.dim}>
            Set GOVERNOR_URL to the address of the service and GOVERNOR_TOKEN to your own token
            first: Sightline shows nobody what it uses itself.{' '}
            <CopyButton text={command} what="the request as curl" />
          </p>
          <pre className={css.command} tabIndex={0} aria-label="Request as curl">
            {command}
          </pre>
        </>
      )}
    </details>
  )
}

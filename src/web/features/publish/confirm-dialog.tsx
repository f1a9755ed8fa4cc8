import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useId, useRef } from 'react'
import type { PublishQuestion } from '../../data/publish/publisher.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-links.ts'
import css from './publish.module.css'
import dialogCss from '../../ui/dialog.module.css'

const publishIt = 'publish'

/** Asks once more, as publishing cannot be undone: what is published, and for which package. */
export function ConfirmDialog({
  question,
  storedBefore,
  onPublish,
  onClose,
}: {
  question: PublishQuestion
  /** Attestations of the artifact that were stored a moment ago. */
  storedBefore: number
  onPublish: () => void
  onClose: () => void
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const { address, sha256, repositoryUrl } = question
  const name = packageText(address)
  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={({ currentTarget }) => {
        // Now, as closing gives the focus back to the button of the form.
        if (currentTarget.returnValue === publishIt) onPublish()
        onClose()
      }}
    >
      <h2 id={`${id}-title`} className={dialogCss.title}>
        Publish attestations for {name}?
      </h2>
      <div id={`${id}-text`} className={css.text}>
        <p>
          <strong>This cannot be undone:</strong> what is stored is signed and stays, and policy
          scans of the package will read it.
        </p>
        {storedBefore > 0 && (
          <p>
            {countOf(storedBefore, 'attestation')} of it {storedBefore === 1 ? 'was' : 'were'}{' '}
            stored by the last publication: what is the same is stored once more.
          </p>
        )}
        <p>{selectionText(question)}</p>
        <dl className={css.confirmDialogFacts}>
          <dt>Digest</dt>
          <dd>sha256:{sha256}</dd>
          <dt>Repository</dt>
          <dd>{repositoryUrl}</dd>
        </dl>
      </div>
      <div className={dialogCss.buttons}>
        <Button variant="default" onClick={() => dialog.current?.close()}>
          Do not publish
        </Button>
        <Button
          onClick={() => {
            dialog.current?.close(publishIt)
          }}
        >
          Publish for {name}
        </Button>
      </div>
    </dialog>
  )
}

function selectionText({ builds, queries }: PublishQuestion): string {
  const parts = [
    ...(builds.length === 0 ? [] : [countOf(builds.length, 'build')]),
    ...(queries.length === 0
      ? []
      : [`whatever ${countOf(queries.length, 'query matches', 'queries match')} then`]),
  ]
  return parts.length === 0
    ? 'No build is chosen: the service attests only what it knows without one.'
    : `It is said of ${parts.join(', and ')}.`
}

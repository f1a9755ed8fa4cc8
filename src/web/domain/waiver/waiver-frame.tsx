import { Button } from '@mantine/core'
import {
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
} from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './waiver-dialog.module.css'

/** The dialog around what is asked about a waiver: a title, a form, why it was refused, and buttons. */
export function WaiverFrame({
  title,
  refusal,
  isSending,
  confirm,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  refusal: string | undefined
  isSending: boolean
  /** The words of the button that does it. */
  confirm: string
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    if (!isSending) onConfirm()
  }
  return (
    <dialog ref={dialog} className={css.dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} className={css.title}>
        {title}
      </h2>
      <form className={css.form} noValidate onSubmit={submit}>
        {children}
        <div role="alert">
          {refusal !== undefined && (
            <p className={css.refusal}>
              <StatusShape tone="bad" />
              <span>{refusal}</span>
            </p>
          )}
        </div>
        <div className={css.buttons}>
          <Button
            size="xs"
            variant="default"
            className={css.button}
            onClick={() => dialog.current?.close()}
          >
            Cancel
          </Button>
          <Button size="xs" type="submit" className={css.button} aria-disabled={isSending}>
            {isSending ? 'Sending…' : confirm}
          </Button>
        </div>
      </form>
    </dialog>
  )
}

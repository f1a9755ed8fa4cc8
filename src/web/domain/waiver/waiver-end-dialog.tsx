import type { ReactElement } from 'react'
import css from './waiver-dialog.module.css'
import { WaiverFrame } from './waiver-frame.tsx'
import type { Waiver } from '../../../protocol/waiver.ts'
import { WaiverMark } from './waiver-mark.tsx'

/** Asks once more before a waiver is ended early: the policy counts as failing again from then on. */
export function WaiverEndDialog({
  policy,
  waiver,
  refusal,
  isSending,
  onEnd,
  onClose,
}: {
  policy: string
  waiver: Waiver
  refusal: string | undefined
  isSending: boolean
  onEnd: () => void
  onClose: () => void
}): ReactElement {
  return (
    <WaiverFrame
      title={`End the waiver of ${policy} now?`}
      refusal={refusal}
      isSending={isSending}
      confirm="End this waiver"
      onConfirm={onEnd}
      onClose={onClose}
    >
      <p className={css.text}>
        <WaiverMark waiver={waiver} />
      </p>
      <p className={css.text}>
        The policy counts as failing again at once, for everybody. The waiver stays in the history.
      </p>
    </WaiverFrame>
  )
}

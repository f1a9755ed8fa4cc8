import type { ReactElement } from 'react'
import { shortenMiddle } from './shorten-middle.ts'
import css from './id-text.module.css'
import { Unseen } from './unseen.tsx'

/** An id shortened in the middle; whole in the tooltip and for screen readers. */
export function IdText({ id }: { id: string }): ReactElement {
  return (
    <span className={css.id} title={id}>
      <span aria-hidden="true">{shortenMiddle(id)}</span>
      <Unseen>{id}</Unseen>
    </span>
  )
}

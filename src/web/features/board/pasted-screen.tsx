import { Button } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import type { PastedBoard } from '../../ui/device-preferences.ts'
import { copyText } from '../../ui/copy.ts'
import { BoardForm } from './board-form.tsx'
import css from './board-headline.module.css'
import { BoardScreen } from './board-screen.tsx'
import { useKnownHere } from './known-artifacts.ts'
import { LineMistakes } from './line-mistakes.tsx'
import { readPastedBoard, shareableAddress } from './pasted-board.ts'

/** A board that was pasted: says which lines are left out, and whether it can be sent as a link. */
export function PastedScreen({
  pasted,
  isInAddress,
}: {
  pasted: Omit<PastedBoard, 'id'>
  isInAddress: boolean
}): ReactElement {
  const { artifactOf } = useKnownHere()
  const [isEditing, setEditing] = useState(false)
  const { id, board, mistakes } = useMemo(
    () => readPastedBoard(pasted, artifactOf),
    [pasted, artifactOf],
  )
  const address = shareableAddress(pasted)
  return (
    <BoardScreen id={id} board={board}>
      <div className={css.line}>
        <span className={css.dim}>
          {isInAddress
            ? 'The whole list stands in the address: whoever gets the link sees this board, with results of their own.'
            : address === undefined
              ? 'The list is too long for an address: it is kept on this device, and a link to it works here only.'
              : 'The list is kept on this device. A link can carry it to others.'}
        </span>
        {address !== undefined && (
          <Button
            size="xs"
            variant="default"
            className={css.tool}
            onClick={() => {
              void copyText(new URL(address, location.href).href)
            }}
          >
            Copy the link
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          className={css.tool}
          aria-expanded={isEditing}
          onClick={() => {
            setEditing(!isEditing)
          }}
        >
          Change the list
        </Button>
      </div>
      {isEditing ? <BoardForm start={pasted} /> : <LineMistakes mistakes={mistakes} />}
    </BoardScreen>
  )
}

import { Kbd } from '@mantine/core'
import type { ReactElement } from 'react'
import { keyWords } from './key-stroke.ts'

/** Keys as they stand on the keyboard of this machine. */
export function KeyHint({ keys }: { keys: string }): ReactElement {
  const words = keyWords(keys, /Mac|iPhone|iPad/.test(navigator.userAgent))
  return (
    <span>
      {words.map((word, index) => (
        <span key={word}>
          {index > 0 && ' then '}
          <Kbd size="xs">{word}</Kbd>
        </span>
      ))}
    </span>
  )
}

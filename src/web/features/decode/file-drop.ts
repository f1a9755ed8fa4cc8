import type { DragEvent } from 'react'

/** What makes an element take files that are dropped on it. */
export interface FileDrop {
  readonly onDragOver: (event: DragEvent) => void
  readonly onDrop: (event: DragEvent) => void
}

/** Takes files; all else that is dropped goes on to whoever takes that. */
export function fileDrop(onFiles: (files: readonly File[]) => void): FileDrop {
  return {
    onDragOver: (event) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event) => {
      const files = [...event.dataTransfer.files]
      if (files.length === 0) return
      event.preventDefault()
      onFiles(files)
    },
  }
}

/** Hands a file over to the browser's downloads. */
export function download(content: string | Uint8Array | Blob, fileName: string): void {
  const blob =
    content instanceof Blob
      ? content
      : new Blob([typeof content === 'string' ? content : new Uint8Array(content)])
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // The browser has begun to read by then.
  setTimeout(() => {
    URL.revokeObjectURL(address)
  }, 60_000)
}

/** A file that is being written; after `close` it is where the person put it. */
export interface FileSink {
  readonly write: (text: string) => Promise<void>
  readonly close: () => Promise<void>
  /** Leaves nothing behind. */
  readonly abort: () => Promise<void>
}

declare global {
  interface Window {
    /** https://wicg.github.io/file-system-access/#api-showsavefilepicker */
    readonly showSaveFilePicker?: (options: {
      readonly suggestedName: string
    }) => Promise<FileSystemFileHandle>
  }
}

/**
 * A file to write to piece by piece: one that the person chooses, where the browser writes such files
 * straight to the disk, else one in the downloads, held as pieces until it is closed. Undefined where
 * the person chose none.
 */
export async function openFileSink(name: string, mediaType: string): Promise<FileSink | undefined> {
  if (window.showSaveFilePicker === undefined) return downloadSink(name, mediaType)
  try {
    const handle = await window.showSaveFilePicker({ suggestedName: name })
    const stream = await handle.createWritable()
    return {
      write: (text) => stream.write(text),
      close: () => stream.close(),
      abort: () => stream.abort(),
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    // Refused by the browser or an administrator: downloads are another matter.
    return downloadSink(name, mediaType)
  }
}

/** Pieces become blobs at once: browsers keep those outside the memory of the page. */
function downloadSink(name: string, mediaType: string): FileSink {
  let parts: Blob[] = []
  return {
    write: (text) => {
      parts.push(new Blob([text]))
      return Promise.resolve()
    },
    close: () => {
      download(new Blob(parts, { type: mediaType }), name)
      parts = []
      return Promise.resolve()
    },
    abort: () => {
      parts = []
      return Promise.resolve()
    },
  }
}

/** Hands a file over to the browser's downloads. */
export function download(content: string | Uint8Array | Blob, fileName: string): void {
  const blob = content instanceof Blob ? content : new Blob([blobPart(content)])
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

function blobPart(content: string | Uint8Array): BlobPart {
  return typeof content === 'string' ? content : new Uint8Array(content)
}

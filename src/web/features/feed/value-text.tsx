import type { ReactElement } from 'react'

/** A custom value; an address of the web becomes a link, anything else stays text. */
export function ValueText({ value }: { value: string }): ReactElement {
  if (!isWebAddress(value)) return <span>{value === '' ? '(empty)' : value}</span>
  return (
    <a href={value} target="_blank" rel="noreferrer">
      {value}
    </a>
  )
}

/** Whether a text may become a link: http and https only, so that no script can hide in it. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}

/** A list of numbers that grows, in one array without holes: eight bytes each, and nothing to collect. */
export interface Column {
  readonly push: (value: number) => void
  readonly set: (index: number, value: number) => void
  /** The number at `index`, or 0 beyond the end. */
  readonly at: (index: number) => number
  readonly length: () => number
}

/**
 * An empty column. All columns are of the same kind of array, also where a narrower one would do:
 * engines are several times as fast with code that has only ever seen one kind.
 */
export function createColumn(): Column {
  let array = new Float64Array(1024)
  let length = 0
  return {
    push: (value) => {
      if (length === array.length) {
        const wider = new Float64Array(length * 2)
        wider.set(array)
        array = wider
      }
      array[length] = value
      length += 1
    },
    set: (index, value) => {
      array[index] = value
    },
    at: (index) => array[index] ?? 0,
    length: () => length,
  }
}

/**
 * A copy of a text that stands for itself. Engines keep a text that was cut out of another as a
 * reference to the whole: a path of forty characters would keep the 64 kB alive that it came in.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1)
}

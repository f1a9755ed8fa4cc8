import { readJsonValue } from './json-value.ts'

/** The members of an object that is read piece by piece. */
export interface JsonMembers {
  /** Adds one as it is written, `"name": value`: it is looked at when they are read. */
  readonly add: (text: string) => void
  /** Adds one whose value is read by itself. */
  readonly addName: (name: string) => void
  /** The texts that were added and not read yet. */
  readonly unread: () => readonly string[]
  /** All that can be read; of two with one name the later. */
  readonly read: () => Readonly<Record<string, unknown>>
  /** Whether what was read was JSON, and each name came once. */
  readonly isSound: () => boolean
}

/** There are none yet. */
export function createJsonMembers(): JsonMembers {
  let texts: string[] = []
  const values = new Map<string, unknown>()
  const names = new Set<string>()
  let isSound = true

  function addName(name: string): void {
    if (names.has(name)) isSound = false
    names.add(name)
  }

  return {
    add: (text) => {
      texts.push(text)
    },
    addName,
    unread: () => texts,
    read: () => {
      for (const text of texts) {
        const [member] = membersOf(text)
        if (member === undefined) {
          isSound = false
          continue
        }
        addName(member[0])
        values.set(...member)
      }
      texts = []
      return Object.fromEntries(values)
    },
    isSound: () => isSound,
  }
}

/** The name of the member that begins with this text, which ends where its value begins. */
export function memberName(text: string): string | undefined {
  return membersOf(`${text}null`)[0]?.[0]
}

function membersOf(text: string): [string, unknown][] {
  const value = readJsonValue(`{${text}}`)
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

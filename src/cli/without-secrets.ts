import type { ScanOrder } from './order.ts'
import { createRedactor } from './redactor.ts'
import { terminalLine } from './terminal-text.ts'
import type { World } from './world.ts'

/** The same surroundings, in which nothing that is shown holds a credential, whatever a server says. */
export function withoutSecrets(world: World, { connection }: ScanOrder): World {
  const secrets = connection.to === 'service' ? (connection.credential?.secrets ?? []) : []
  const redact = createRedactor(secrets)
  return {
    ...world,
    say: (line) => {
      world.say(redact(terminalLine(line)))
    },
    print: (text) => {
      world.print(redact(text))
    },
    openReport: (path) => {
      const { save, discard } = world.openReport(path)
      return {
        discard,
        save: (text) => {
          save(redact(text))
        },
      }
    },
  }
}

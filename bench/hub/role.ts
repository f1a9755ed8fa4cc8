import { type ChildProcess, fork } from 'node:child_process'
import { z } from 'zod'

/** What a role answers: plain data under a name. */
export type Orders = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

const Order = z.object({
  id: z.number(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
})
const Answer = z.object({ id: z.number(), result: z.unknown(), error: z.string().optional() })

/** Serves orders of the parent process for ever. */
export function serveOrders(orders: Orders): void {
  process.on('message', (message) => {
    const { id, name, input } = Order.parse(message)
    const order = orders[name] ?? (() => Promise.reject(new Error(`no order ${name}`)))
    order(input).then(
      (result) => process.send?.({ id, result: result ?? null }),
      (error: unknown) => process.send?.({ id, result: null, error: String(error) }),
    )
  })
}

/** A process of its own for a part of a measurement, so that its cost is its own. */
export interface Role {
  readonly order: <T>(name: string, input: object, answer: z.ZodType<T>) => Promise<T>
  readonly stop: () => Promise<void>
}

/** Starts this very file once more, in a role. */
export function startRole(file: string, role: string): Role {
  const child: ChildProcess = fork(file, [role], { execArgv: ['--expose-gc'] })
  let next = 0
  const waiting = new Map<number, (answer: z.infer<typeof Answer>) => void>()
  child.on('message', (message) => {
    const answer = Answer.parse(message)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  return {
    order: async (name, input, schema) => {
      const id = next++
      const answered = new Promise<z.infer<typeof Answer>>((resolve) => waiting.set(id, resolve))
      child.send({ id, name, input })
      const { result, error } = await answered
      if (error !== undefined) throw new Error(`${role}: ${error}`)
      return schema.parse(result)
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve()
        })
        child.kill()
      }),
  }
}

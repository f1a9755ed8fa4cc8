import { type Clock, wait } from '../../protocol/clock.ts'
import { answerMs } from './log-engine.ts'

/** A connection to Redis or Valkey that is given up, instead of mended, when it breaks. */
export interface RedisConnection {
  /** Sends a command; rejects when there is no answer within a few seconds. */
  readonly send: (...words: readonly string[]) => Promise<unknown>
  readonly isUsable: () => boolean
  /** Whatever waits for an answer is rejected. */
  readonly destroy: () => void
}

/** Connects to `redis[s]://user:password@host:port/database`; the library is loaded by the first. */
export async function connectRedis(url: string, clock: Clock): Promise<RedisConnection> {
  const { createClient } = await import('@redis/client')
  const client = createClient({
    url,
    RESP: 2,
    name: 'sightline-live-log',
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: answerMs, keepAlive: true },
  })
  // Each command fails with it as well; unheard, it ends the process.
  client.on('error', () => undefined)
  const destroy = (): void => {
    if (client.isOpen) client.destroy()
  }

  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const answered = new AbortController()
    const late = async (): Promise<never> => {
      await wait(clock, answerMs, answered.signal)
      if (!answered.signal.aborted) destroy()
      throw new Error('timeout')
    }
    try {
      return await Promise.race([answer, late()])
    } finally {
      answered.abort()
    }
  }

  try {
    await inTime(client.connect())
  } catch (error) {
    destroy()
    throw error
  }
  return {
    send: (...words) => inTime<unknown>(client.sendCommand([...words])),
    isUsable: () => client.isReady,
    destroy,
  }
}

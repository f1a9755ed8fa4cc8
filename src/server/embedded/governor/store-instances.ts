import { predicateTypes } from './evidence.ts'

/**
 * A place where attestations are stored: `s3:<name>` or `af:<name>`
 * (docs/services.md#store-instances).
 */
export interface StoreInstance {
  readonly name: string
  /** Refuses everything: to practise a failure half way with. */
  readonly isDown?: boolean
}

/** What is configured where nothing else is. */
export const usualInstances: readonly StoreInstance[] = [
  { name: 'af:evidence' },
  { name: 's3:archive' },
]

/** Whether a text has the form of an instance identifier. */
export function isInstanceName(text: string): boolean {
  return /^(?:s3|af):[\w.-]+$/.test(text)
}

/** Where an attestation goes: provenance into the last store, all else into the first one. */
export function instanceFor(
  predicateType: string,
  instances: readonly StoreInstance[],
): StoreInstance | undefined {
  return predicateType === predicateTypes.provenance ? instances.at(-1) : instances[0]
}

import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'

/** What the announcement of a build alone tells: everything else is absent, so not known here. */
export function factsOfMessage(build: BuildMessage): Facts {
  return {
    buildId: build.buildId,
    receivedAt: build.timestamp,
    buildTool: build.toolType,
    buildToolVersion: build.toolVersion,
    agentVersion: build.agentVersion,
  }
}

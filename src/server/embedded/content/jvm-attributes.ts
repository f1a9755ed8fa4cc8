import type { Machine } from './machines.ts'

/** The `environment` of the attributes of a build on a JVM: Gradle, Maven and sbt have the same. */
export function jvmEnvironment(username: string, machine: Machine): Record<string, unknown> {
  const { os, jvm, locale } = machine
  return {
    username,
    operatingSystem: `${os.name} ${os.version} (${os.arch})`,
    numberOfCpuCores: machine.cores,
    jreVersion: `${jvm.vendor} ${runtimeName} ${jvm.runtimeVersion}`,
    jvmVersion: `${jvm.vendor} ${vmName} ${jvm.runtimeVersion} (${vmInfo})`,
    jvmMaxMemoryHeapSize: machine.maxHeap,
    jvmCharset: charset,
    jvmLocale: locale.display,
    publicHostname: machine.publicHostname,
    localHostname: machine.localHostname,
    localIpAddresses: machine.ipAddresses,
  }
}

/** What every JVM here says of itself. */
export const runtimeName = 'OpenJDK Runtime Environment'
export const vmName = 'OpenJDK 64-Bit Server VM'
export const vmInfo = 'mixed mode, sharing'
export const charset = 'UTF-8'

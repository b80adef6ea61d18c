import { locateMachineDirectory } from '../../src/runtime/host.ts'
import { readNames } from '../../src/runtime/read-names.ts'
import { setNameSource } from '../../src/vendor/setting.ts'

/** Finds the names of this process like a packed program; call it before importing anything that uses one. */
export async function prepareNames(argv?: readonly string[]): Promise<void> {
  const { platform, execPath } = process
  const machineDirectory = locateMachineDirectory(platform, execPath)
  setNameSource(await readNames({ ...(argv && { argv }), platform, machineDirectory }))
}

import { bundleAll } from '../../pkg-scripts/bundle/bundle.ts'

/** Builds every helper once before the tests, so that what they run is what ships. */
export default async function buildOnce(): Promise<void> {
  await bundleAll()
}

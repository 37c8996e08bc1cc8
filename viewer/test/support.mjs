// What tests of pages share.
import { open } from "../browser.mjs";

// Small, as the pixels are drawn without a graphics card.
export const SMALL = { width: 700, height: 420 };

// A page that is ready, with small shadows.
export async function openSmall(browser, address, viewport = SMALL, more = {}) {
    const page = await open(browser, address, viewport, more);
    await page.evaluate(() => {
        const { shadow } = window.dashpot.view.sun;
        shadow.map?.dispose();
        shadow.map = null;
        shadow.mapSize.set(256, 256);
    });
    return page;
}

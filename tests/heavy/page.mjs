// Opens pages in a browser and prints what is wrong with them: node page.mjs BROWSER FILE...
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { default: puppeteer } = await import('puppeteer-core');
const { source } = createRequire(import.meta.url)('axe-core');
const [executablePath, ...files] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox'] });
for (const file of files) {
  for (const [width, scheme] of [[400, 'light'], [1200, 'dark']]) {
    const say = (what) => console.log(`${file} at ${width}, ${scheme}: ${what}`);
    const page = await browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const address = pathToFileURL(file).href;
    page.on('request', (request) => request.url() === address || say(`asks for ${request.url()}`));
    page.on('console', (message) => say(`says ${message.text()}`));
    page.on('dialog', (dialog) => { say(`opens a dialog: ${dialog.message()}`); dialog.dismiss(); });
    await page.goto(address);
    const found = await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
      const wide = document.documentElement.scrollWidth;
      const box = document.querySelector('main').getBoundingClientRect();
      const leaves = [...document.querySelectorAll('bdi')].filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        return !one.closest('.wide') && (left < box.left - 1 || right > box.right + 1);
      });
      return [
        ...(wide > innerWidth ? [`${wide} pixels are wider than the window`] : []),
        ...leaves.map((one) => `leaves its box: ${one.textContent}`),
      ];
    });
    found.forEach(say);
    await page.evaluate(source);
    const { violations } = await page.evaluate(() => axe.run());
    for (const { id, nodes } of violations) say(`axe: ${id}: ${nodes[0].html}`);
    if (process.env.SQ_SHOTS) {
      const name = `${process.env.SQ_SHOTS}/${file.split('/').pop()}-${width}.png`;
      await page.screenshot({ path: name, fullPage: true });
    }
    await page.close();
  }
}
await browser.close();

/** An expression for a page of a browser: texts with less contrast than WCAG AA asks for (4.5, large 3), by the colours that are there. */
export const LOW_CONTRAST = `(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, place) => sum + c * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (node) => { for (let one = node; one !== null; one = one.parentElement) { const colour = parts(getComputedStyle(one).backgroundColor); if (colour.length === 3) return colour; } return [255, 255, 255]; };
  return [...document.querySelectorAll('body *')].filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '')).flatMap((node) => {
    const style = getComputedStyle(node);
    const [a, b] = [light(parts(style.color)), light(behind(node))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const contrast = (a + 0.05) / (b + 0.05);
    return contrast < least ? [node.className + ' ' + node.textContent.slice(0, 30) + ': ' + contrast.toFixed(2)] : [];
  });
})()`;

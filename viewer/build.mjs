// One page with everything in it: src/ and its libraries become dist/page.html.
import { readFileSync, writeFileSync } from "node:fs";
import { build, transform } from "esbuild";

const result = await build({
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
});
const styles = ["node_modules/uplot/dist/uPlot.min.css", "src/style.css"].map((file) => readFileSync(file, "utf8")).join("");
const style = (await transform(styles, { loader: "css", minify: true })).code.trimEnd();
const code = result.outputFiles[0].text.replaceAll("</script", "<\\/script").trimEnd();
const page = readFileSync("src/page.html", "utf8")
    .replace("@STYLE@", () => style)
    .replace("@BUNDLE@", () => code);
if (page !== readFileSync("dist/page.html", "utf8")) {
    writeFileSync("dist/page.html", page); // what is the same stays as old as it is
}
